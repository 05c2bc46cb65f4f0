// Package tournament lets levels of the computer and programs play each other, and counts the
// results.
//
// Every player plays every other player, from random openings. Each opening is played twice, with
// the colours exchanged; none is played again before all have been played. With the same seed, a
// tournament of levels has the same results, with any number of threads: each game has its own seed,
// and a level's search is limited by the number of positions, not by time.
package tournament

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/computer"
)

// Options configure [Run].
type Options struct {
	Rules    board.Rules
	Games    int  // of each pair
	Opening  int  // plies of the openings
	Gauntlet bool // only the first player plays all others
	Seed     uint64
	Threads  int           // games played at the same time; 0: one if a program plays, else one for each processor
	Table    int           // bytes of the solver's table, for each thread; 0: its default
	MoveTime time.Duration // limit for each move of a program; 0: none

	// These may be nil. A failed write ends the tournament.
	Record io.Writer                   // gets a line of JSON for each game, in the order of the games
	Log    io.Writer                   // gets the programs' standard error
	Played func(g *Game, now *Results) // is called after each game; now has the ranks and shares until then

	Keep   bool    // keep all games for [Results.WritePage], and find out what decided them
	Before []*Game // the games that the tournament has played before, from its record: see recall
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
	recorded := map[Key]bool{}
	first := &worker{Options: o}
	for _, g := range o.Before {
		recorded[g.Key()] = true
		if first.explain(ctx, g); ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		results.add(g)
	}
	over := map[int]*Game{} // the games that are over and have not been counted, because an earlier one is not over
	begun, counted := 0, 0
	var mu sync.Mutex // guards all of these
	begin := func() (i int, f fixture, err error) {
		mu.Lock()
		defer mu.Unlock()
		for schedule.games < results.Games {
			if f, err = schedule.next(); err != nil || !recorded[newKey(f.players[0].Name, f.players[1].Name, f.number+1)] {
				begun++
				return begun - 1, f, err
			}
		}
		return -1, f, nil
	}
	end := func(i int, g *Game) {
		mu.Lock()
		defer mu.Unlock()
		for over[i] = g; over[counted] != nil; counted++ {
			g := over[counted]
			delete(over, counted)
			results.add(g)
			if o.Played != nil {
				results.rank()
				o.Played(g, results)
			}
			if err := o.write(g); err != nil {
				cancel(err)
			}
		}
	}
	var wg sync.WaitGroup
	for range o.ThreadsFor(players) {
		wg.Go(func() {
			w := &worker{Options: o, computer: computer.Computer{Table: o.Table}}
			for ctx.Err() == nil {
				i, f, err := begin()
				if i < 0 {
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

// ReadRecord reads the games that a tournament has recorded, and returns them with the length of what
// it has read. A last line that a power cut has cut off does not count.
func ReadRecord(r io.Reader) (games []*Game, length int64, err error) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		switch {
		case err == io.EOF:
			return games, length, nil
		case err != nil:
			return nil, 0, err
		}
		g := new(Game)
		if json.Unmarshal(line, g) != nil || g.Number < 1 || g.Result == "" {
			return nil, 0, fmt.Errorf("line %d is no game of a tournament: choose another file", len(games)+1)
		}
		games, length = append(games, g), length+int64(len(line))
	}
}

// recall takes the games of a record that the tournament would play too, except those of programs that
// have changed since. notes say which games it does not take. The record keeps those games: of two games
// with the same key, the later counts.
func (o *Options) recall(games []*Game, players []*Player) (notes []string, err error) {
	size, connect := o.board()
	meet, digests, last := newResults(players, *o), map[string]string{}, map[Key]*Game{}
	for _, p := range players {
		digests[p.Name] = p.digest
	}
	for _, g := range games {
		other := "" // the flag that differs
		switch {
		case g.Board != size:
			other = "--board " + cmp.Or(g.Board, "7x6")
		case g.Connect != connect:
			other = fmt.Sprint("--connect ", cmp.Or(g.Connect, board.Standard.Connect))
		case len(g.Opening) != o.Opening:
			other = fmt.Sprint("--opening-plies ", len(g.Opening))
		case g.Seed != o.Seed:
			other = fmt.Sprint("--seed ", g.Seed)
		}
		if other != "" {
			return nil, fmt.Errorf("its game %d, %s against %s, was played with %s: use the same, or another file", g.Number, g.Red, g.Yellow, other)
		}
		opening, err := board.ParseGame(o.Rules, board.Red, g.Opening)
		_, errMoves := board.ParseGame(o.Rules, board.Red, g.Moves)
		if errors.Join(err, errMoves) != nil || !strings.HasPrefix(g.Moves, g.Opening) {
			return nil, fmt.Errorf("its game %d, %s against %s, has moves that are no game: use another file", g.Number, g.Red, g.Yellow)
		}
		g.fixture.opening = opening
		last[g.Key()] = g
	}
	out, stale, changed := map[string]int{}, 0, []string(nil)
	for _, g := range games {
		now := [2]string{digests[g.Red], digests[g.Yellow]}
		absent := slices.IndexFunc([]string{g.Red, g.Yellow}, func(name string) bool { _, plays := digests[name]; return !plays })
		switch {
		case last[g.Key()] != g:
		case absent >= 0:
			out["of "+[]string{g.Red, g.Yellow}[absent]+", who does not play"]++
		case meet.pair(g.Red, g.Yellow) < 0:
			out["of players who do not meet"]++
		case g.Number > o.Games:
			out[fmt.Sprint("beyond --games ", o.Games)]++
		case now == g.Digests:
			o.Before = append(o.Before, g)
		default:
			stale++
			for side, name := range [2]string{g.Red, g.Yellow} {
				if now[side] != g.Digests[side] && !slices.Contains(changed, name) {
					changed = append(changed, name)
				}
			}
		}
	}
	for _, why := range slices.Sorted(maps.Keys(out)) {
		notes = append(notes, fmt.Sprintf("left out: %d games %s", out[why], why))
	}
	if stale > 0 {
		notes = append(notes, fmt.Sprintf("changed since, so played anew (%d games): %s", stale, strings.Join(changed, ", ")))
	}
	return notes, nil
}

// board returns the size of the board and the length of a line, as a record has them.
func (o Options) board() (size string, connect int) {
	if r := o.Rules; r.Columns != board.Standard.Columns || r.Rows != board.Standard.Rows {
		size = fmt.Sprintf("%dx%d", r.Columns, r.Rows)
	}
	if o.Rules.Connect != board.Standard.Connect {
		connect = o.Rules.Connect
	}
	return size, connect
}

func (o Options) write(g *Game) (err error) {
	if o.Record != nil {
		err = json.NewEncoder(o.Record).Encode(g)
	}
	if o.Log != nil && err == nil {
		_, err = io.WriteString(o.Log, g.said)
	}
	return err
}
