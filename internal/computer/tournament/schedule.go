package tournament

import (
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"math/rand/v2"

	"github.com/c4hat/c4hat/board"
)

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

// schedule yields the games of a tournament that have not been played: the first game of each pair, then the
// second game of each pair, and so on. So a tournament that is stopped treats all players alike. A pair's games
// depend on the two names alone, so they stay the same if another player joins.
func (o *Options) schedule(played map[key]bool) iter.Seq2[*Game, error] {
	type pair struct {
		players [2]*Player
		opening board.Game // the latest
		chance  *rand.Rand
		draw    func() (board.Game, error)
	}
	var pairs []*pair
	for _, p := range o.pairs() {
		if p[0].Name < p[1].Name {
			p[0], p[1] = p[1], p[0]
		}
		names := fnv.New64a()
		_, _ = fmt.Fprintf(names, "%q %q", p[1].Name, p[0].Name)
		chance := rand.New(rand.NewPCG(o.Seed, names.Sum64()))
		pairs = append(pairs, &pair{players: p, chance: chance, draw: openings(o.Rules, o.Opening, chance)})
	}
	plan := Game{Seed: o.Seed}
	if r := o.Rules; r.Columns != board.Standard.Columns || r.Rows != board.Standard.Rows {
		plan.Board = fmt.Sprintf("%dx%d", r.Columns, r.Rows)
	}
	if o.Rules.Connect != board.Standard.Connect {
		plan.Connect = o.Rules.Connect
	}
	return func(yield func(*Game, error) bool) {
		for plan.Number = 1; plan.Number <= o.Games; plan.Number++ {
			for _, p := range pairs {
				g := plan
				g.chance = p.chance.Uint64()
				p.players[0], p.players[1] = p.players[1], p.players[0]
				var err error
				if g.Number%2 == 1 {
					p.opening, err = p.draw()
				}
				g.players, g.played, g.Opening = p.players, p.opening, p.opening.String()
				g.Red, g.Yellow = g.players[0].Name, g.players[1].Name
				if !played[g.key()] && !yield(&g, err) || err != nil {
					return
				}
			}
		}
	}
}

// errOpening means that no game lasts for as many random discs as the opening needs.
var errOpening = errors.New("too many random discs")

// openings returns a function that draws the openings of a board: in a random order, and then again in the same
// order. It remembers none of them. A sequence of columns is a number below all, with a digit for each disc in the
// base of the board's columns. step has no factor in common with that base, so adding it again and again visits all
// numbers. Some sequences are no opening: they fill a column or end the game.
func openings(r board.Rules, discs int, chance *rand.Rand) func() (board.Game, error) {
	columns, all := uint64(r.Columns), uint64(1)
	for range discs {
		all *= columns
	}
	at, step := chance.Uint64N(all), 1+chance.Uint64N(all)
	for step%2 == 0 || step%3 == 0 || step%5 == 0 || step%7 == 0 { // boards have up to eight columns
		step++
	}
	return func() (board.Game, error) {
		const tries = 100_000
	next:
		for range tries {
			rest := at
			at = (at + step) % all
			g, _ := board.NewGame(r, board.Red) // the rules are valid
			for range discs {
				if g.Play(int(rest%columns)) != nil {
					continue next
				}
				rest /= columns
			}
			if g.Position().Outcome() == board.Playing {
				return g, nil
			}
		}
		return board.Game{}, fmt.Errorf("%w: a game on this board is over before it has %d", errOpening, discs)
	}
}
