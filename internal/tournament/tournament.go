// Package tournament lets levels of the computer and programs play each other, and counts the
// results.
//
// Every player plays every other player, from random openings. Each opening is played twice, with
// the colours exchanged. With the same seed, a tournament of levels has the same results, with any
// number of threads: each game has its own seed, and a level's search is limited by the number of
// positions, not by time.
package tournament

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/computer"
)

// Options configure [Run].
type Options struct {
	Rules    board.Rules
	Games    int // of each pair
	Opening  int // plies of the openings
	Seed     uint64
	Threads  int           // games played at the same time; 0: one if a program plays, else one for each processor
	Table    int           // bytes of the solver's table, for each thread; 0: its default
	MoveTime time.Duration // limit for each move of a program; 0: none

	// These may be nil. A failed write ends the tournament.
	Record io.Writer              // gets a line of JSON for each game, in the order of the games
	Log    io.Writer              // gets the programs' standard error
	Played func(games, total int) // is called after each game
}

// ErrOpening means that no game lasts for as many random discs as the opening needs.
var ErrOpening = errors.New("a game on this board is over before it has so many random discs")

// fixture is a game to be played.
type fixture struct {
	number  int // the game's number among those of its pair, from 0
	players [2]*Player
	opening board.Game
	seed    uint64
}

// Run plays a tournament. If the context ends early, Run returns the context's cause, and the
// results of the games that are over.
func Run(ctx context.Context, players []*Player, o Options) (*Results, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	all, err := fixtures(players, o)
	if err != nil {
		return nil, err
	}
	// Play all pairs in turn, so that a tournament that is stopped has games of each pair.
	slices.SortStableFunc(all, func(a, b fixture) int { return a.number - b.number })
	results := newResults(players, o)
	games := make([]*Game, len(all)) // the games that are over and have not been counted yet
	counted := 0
	count := func(g *Game) {
		results.add(g)
		if o.Played != nil {
			o.Played(results.played, len(all))
		}
		if err := o.write(g); err != nil {
			cancel(err)
		}
	}
	var mu sync.Mutex // guards the results, games and counted
	var next atomic.Int64
	var wg sync.WaitGroup
	for range o.ThreadsFor(players) {
		wg.Go(func() {
			w := &worker{Options: o, computer: computer.Computer{Table: o.Table}}
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(all) {
					return
				}
				g, err := w.play(ctx, all[i])
				if err != nil {
					cancel(err)
					return
				}
				mu.Lock()
				games[i] = g
				for ; counted < len(games) && games[counted] != nil; counted++ {
					count(games[counted])
					games[counted] = nil
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for _, g := range games { // the games after an interrupted one
		if g != nil {
			count(g)
		}
	}
	results.finish()
	return results, context.Cause(ctx)
}

// ThreadsFor returns how many games are played at the same time.
func (o Options) ThreadsFor(players []*Player) int {
	switch {
	case o.Threads != 0:
		return o.Threads
	case slices.ContainsFunc(players, (*Player).isProgram):
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

// write records a game.
func (o Options) write(g *Game) (err error) {
	if o.Record != nil {
		err = json.NewEncoder(o.Record).Encode(g)
	}
	if o.Log != nil && err == nil {
		_, err = io.WriteString(o.Log, g.complaints)
	}
	return err
}

// fixtures lists the games, pair by pair.
func fixtures(players []*Player, o Options) (all []fixture, err error) {
	pair := uint64(0)
	for i, a := range players {
		for _, b := range players[i+1:] {
			chance := rand.New(rand.NewPCG(o.Seed, pair))
			pair++
			var start board.Game
			for n := range o.Games {
				f := fixture{number: n, players: [2]*Player{a, b}, seed: chance.Uint64()}
				if n%2 == 0 {
					if start, err = opening(chance, o); err != nil {
						return nil, err
					}
				} else {
					f.players = [2]*Player{b, a}
				}
				f.opening = start
				all = append(all, f)
			}
		}
	}
	return all, nil
}

// opening returns a game of random discs that is not over.
func opening(chance *rand.Rand, o Options) (board.Game, error) {
	const tries = 10_000
	for range tries {
		g, err := board.NewGame(o.Rules, board.Red)
		if err != nil {
			return g, err
		}
		position := g.Position()
		for position.Ply() < o.Opening && position.Outcome() == board.Playing {
			_ = g.Play(chance.IntN(o.Rules.Columns)) // or try another column
			position = g.Position()
		}
		if position.Outcome() == board.Playing {
			return g, nil
		}
	}
	return board.Game{}, fmt.Errorf("%w: %d", ErrOpening, o.Opening)
}
