package tournament

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"github.com/c4hat/c4hat/board"
)

// fixture is a game to be played.
type fixture struct {
	number  int // the game's number among those of its pair, from 0
	players [2]*Player
	opening board.Game
	seed    uint64
}

// Key tells the games of a tournament apart, whatever the order of its players: the one whose name is
// the first in the alphabet comes first.
type Key struct {
	first, second string
	Number        int // from 1
}

func newKey(a, b string, number int) Key { return Key{min(a, b), max(a, b), number} }

// schedule makes the games of a tournament one after the other: the first game of each pair, then
// the second game of each pair, and so on. The pairs play in rounds, in each of which everybody plays
// once. So a tournament that is stopped treats all players alike. A pair's games depend on the two
// names alone, so they stay the same if another player joins.
type schedule struct {
	pairs []*pair
	games int // how many games it has made
}

type pair struct {
	fixture // the last
	openings
}

func newSchedule(players []*Player, o Options) (*schedule, error) {
	s := new(schedule)
	n := len(players)
	for _, p := range rounds(n) {
		a, b := p[0], p[1]
		if o.Gauntlet && a > 0 {
			continue
		}
		if players[a].Name > players[b].Name {
			a, b = b, a
		}
		names := fnv.New64a()
		_, _ = fmt.Fprintf(names, "%q %q", players[a].Name, players[b].Name)
		drawn, err := newOpenings(o.Rules, o.Opening, rand.New(rand.NewPCG(o.Seed, names.Sum64())))
		if err != nil {
			return nil, err
		}
		s.pairs = append(s.pairs, &pair{fixture{number: -1, players: [2]*Player{players[b], players[a]}}, drawn})
	}
	return s, nil
}

// rounds returns the pairs of n players. The last player keeps its place, and all others move on by
// one place after each round.
func rounds(n int) (pairs [][2]int) {
	circle := n - 1 + n%2 // with an odd number of players, nobody has the last place
	for round := range circle {
		for i := range (circle + 1) / 2 {
			a, b := (round+i)%circle, (round-i+circle)%circle
			if i == 0 {
				b = circle
			}
			if max(a, b) < n {
				pairs = append(pairs, [2]int{min(a, b), max(a, b)})
			}
		}
	}
	return pairs
}

func (s *schedule) next() (f fixture, err error) {
	p := s.pairs[s.games%len(s.pairs)]
	s.games++
	p.number++
	p.seed = p.chance.Uint64()
	p.players[0], p.players[1] = p.players[1], p.players[0]
	if p.number%2 == 0 {
		p.opening, err = p.draw()
	}
	return p.fixture, err
}

// openings draws the openings of a board: in a random order, and then again in the same order. It
// remembers none of them. A sequence of columns is a number below all, with a digit for each disc in
// the base of the board's columns. step has no factor in common with that base, so adding it again
// and again visits all numbers. Some sequences are no opening: they fill a column or end the game.
type openings struct {
	rules    board.Rules
	discs    int
	chance   *rand.Rand
	all      uint64
	at, step uint64
}

// ErrOpening means that no game lasts for as many random discs as the opening needs.
var ErrOpening = errors.New("a game on this board is over before it has so many random discs")

func newOpenings(r board.Rules, discs int, chance *rand.Rand) (openings, error) {
	o := openings{rules: r, discs: discs, chance: chance, all: 1}
	for range discs {
		o.all *= uint64(r.Columns)
	}
	o.at, o.step = chance.Uint64N(o.all), 1+chance.Uint64N(o.all)
	for common(o.step, uint64(r.Columns)) {
		o.step++
	}
	probe := o
	_, err := probe.draw()
	return o, err
}

// common reports whether two numbers have a common factor.
func common(a, b uint64) bool {
	for b > 0 {
		a, b = b, a%b
	}
	return a > 1
}

func (o *openings) draw() (board.Game, error) {
	const tries = 100_000
	for range tries {
		g, ok := o.sequence()
		o.at = (o.at + o.step) % o.all
		if ok {
			return g, nil
		}
	}
	return board.Game{}, fmt.Errorf("%w: %d", ErrOpening, o.discs)
}

// sequence returns the game of the current number, and whether that is an opening.
func (o *openings) sequence() (board.Game, bool) {
	g, _ := board.NewGame(o.rules, board.Red) // the rules are valid
	columns := uint64(o.rules.Columns)
	for rest, n := o.at, 0; n < o.discs; rest, n = rest/columns, n+1 {
		if g.Play(int(rest%columns)) != nil {
			return g, false
		}
	}
	return g, g.Position().Outcome() == board.Playing
}
