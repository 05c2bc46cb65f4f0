package tournament

import (
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"math/rand/v2"

	"github.com/c4hat/c4hat/board"
)

// fixture is a game to be played.
type fixture struct {
	number  int // the game's number among those of its pair, from 1
	players [2]*Player
	opening board.Game
	seed    uint64
}

// key tells the pairs of a tournament apart, and with a number their games, whatever the order of the players.
type key struct {
	first, second string // in the order of the alphabet
	number        int
}

func keyOf(a, b string, number int) key { return key{min(a, b), max(a, b), number} }

// pairs returns who plays whom, the neighbours first.
func (o *Options) pairs() (pairs [][2]*Player) {
	for apart := 1; apart < len(o.Players); apart++ {
		for i, a := range o.Players[:len(o.Players)-apart] {
			if i == 0 || !o.Gauntlet {
				pairs = append(pairs, [2]*Player{a, o.Players[i+apart]})
			}
		}
	}
	return pairs
}

// schedule yields the games of a tournament: the first game of each pair, then the second game of each pair,
// and so on. So a tournament that is stopped treats all players alike. A pair's games depend on the two
// names alone, so they stay the same if another player joins.
func (o *Options) schedule() iter.Seq2[fixture, error] {
	type pair struct {
		fixture // the last
		openings
	}
	var pairs []*pair
	for _, p := range o.pairs() {
		if p[0].Name < p[1].Name {
			p[0], p[1] = p[1], p[0]
		}
		names := fnv.New64a()
		_, _ = fmt.Fprintf(names, "%q %q", p[1].Name, p[0].Name)
		chance := rand.New(rand.NewPCG(o.Seed, names.Sum64()))
		pairs = append(pairs, &pair{fixture{players: p}, newOpenings(o.Rules, o.Opening, chance)})
	}
	return func(yield func(fixture, error) bool) {
		for range o.Games {
			for _, p := range pairs {
				p.number++
				p.seed = p.chance.Uint64()
				p.players[0], p.players[1] = p.players[1], p.players[0]
				var err error
				if p.number%2 == 1 {
					p.fixture.opening, err = p.draw()
				}
				if !yield(p.fixture, err) || err != nil {
					return
				}
			}
		}
	}
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

// errOpening means that no game lasts for as many random discs as the opening needs.
var errOpening = errors.New("a game on this board is over before it has so many random discs")

func newOpenings(r board.Rules, discs int, chance *rand.Rand) openings {
	o := openings{rules: r, discs: discs, chance: chance, all: 1}
	for range discs {
		o.all *= uint64(r.Columns)
	}
	o.at, o.step = chance.Uint64N(o.all), 1+chance.Uint64N(o.all)
	for o.step%2 == 0 || o.step%3 == 0 || o.step%5 == 0 || o.step%7 == 0 { // boards have up to eight columns
		o.step++
	}
	return o
}

func (o *openings) draw() (board.Game, error) {
	const tries = 100_000
next:
	for range tries {
		rest := o.at
		o.at = (o.at + o.step) % o.all
		g, _ := board.NewGame(o.rules, board.Red) // the rules are valid
		for range o.discs {
			if g.Play(int(rest%uint64(o.rules.Columns))) != nil {
				continue next
			}
			rest /= uint64(o.rules.Columns)
		}
		if g.Position().Outcome() == board.Playing {
			return g, nil
		}
	}
	return board.Game{}, fmt.Errorf("%w: %d", errOpening, o.discs)
}
