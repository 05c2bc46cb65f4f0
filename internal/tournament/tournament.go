// Package tournament lets levels of the computer and programs play each other, and counts the
// results.
//
// Every player plays every other player, from random openings. Each opening is played twice, with
// the colours exchanged; none is played again before all have been played. With the same seed, a tournament of levels has the same results, with any
// number of threads: each game has its own seed, and a level's search is limited by the number of
// positions, not by time.
package tournament

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"runtime"
	"slices"
	"sync"
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

// Run plays a tournament. If the context ends early, Run returns the context's cause, and the
// results of the games that are over.
func Run(ctx context.Context, players []*Player, o Options) (*Results, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	results := newResults(players, o)
	schedule, err := newSchedule(players, o)
	if err != nil {
		return nil, err
	}
	total := len(results.Pairs) * o.Games
	over := map[int]*Game{} // the games that are over and have not been counted yet
	counted := 0
	count := func(g *Game) {
		results.add(g)
		if o.Played != nil {
			o.Played(results.played, total)
		}
		if err := o.write(g); err != nil {
			cancel(err)
		}
	}
	var mu sync.Mutex // guards all of these
	begin := func() (i int, f fixture, err error) {
		mu.Lock()
		defer mu.Unlock()
		if i = schedule.games; i < total {
			f, err = schedule.next()
		}
		return i, f, err
	}
	end := func(i int, g *Game) {
		mu.Lock()
		defer mu.Unlock()
		for over[i] = g; over[counted] != nil; counted++ {
			count(over[counted])
			delete(over, counted)
		}
	}
	var wg sync.WaitGroup
	for range o.ThreadsFor(players) {
		wg.Go(func() {
			w := &worker{Options: o, computer: computer.Computer{Table: o.Table}}
			for ctx.Err() == nil {
				i, f, err := begin()
				if err == nil && i == total {
					return
				}
				var g *Game
				if err == nil {
					g, err = w.play(ctx, f)
				}
				if err != nil {
					cancel(err)
					return
				}
				end(i, g)
			}
		})
	}
	wg.Wait()
	for _, i := range slices.Sorted(maps.Keys(over)) { // the games after an interrupted one
		count(over[i])
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
		_, err = io.WriteString(o.Log, g.said)
	}
	return err
}
