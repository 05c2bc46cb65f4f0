// Package computer answers the questions that a game asks the computer: it chooses the computer's
// columns, gives hints, judges the discs of a game, and makes puzzles. [Computer] implements
// session.Computer.
package computer

import (
	"context"
	"runtime"
	"runtime/debug"

	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/analysis"
	"github.com/c4hat/c4hat/internal/cpu"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/puzzle"
)

// Computer answers one question at a time. The zero value is ready.
type Computer struct {
	player  cpu.Player
	analyst *analysis.Analyst
}

// Answer returns the answer to a question. If q is a [game.Review], it passes the verdicts to send.
func (c *Computer) Answer(ctx context.Context, q game.Question, send func(game.Event)) (game.Event, error) {
	switch q := q.(type) {
	case game.Think:
		col, err := c.player.Choose(ctx, q.Level, q.Game.Position(), q.Seed)
		return game.Chosen{ID: q.ID, Col: col}, err
	case game.Advise:
		c.player.Threads = spare()
		scores, exact, err := c.player.Advise(ctx, q.Game.Position())
		return game.Advised{ID: q.ID, Advice: game.Advice{Score: scores, Exact: exact}}, err
	case game.Review:
		return q.Done(), c.review(ctx, q, send)
	case game.Compose:
		p, err := puzzle.NewMaker(q.Seed).Next(ctx, q.Discs)
		return game.Composed{ID: q.ID, Puzzle: game.Puzzle(p)}, err
	}
	return q.Done(), nil
}

// spare returns how many threads search for a hint or for a look back. One processor stays free for
// the display and the joystick. The computer's own moves use a single thread, because nearly all of
// them are quick and more threads would need the whole table at once.
func spare() int { return min(max(runtime.GOMAXPROCS(0)-1, 1), mostThreads) }

const mostThreads = 4

// analystTable is the size in bytes of the table for a look back, equal to that for hints.
const analystTable = 8 << 20

// review sends a verdict on each disc of a game.
func (c *Computer) review(ctx context.Context, r game.Review, send func(game.Event)) error {
	if c.analyst == nil {
		c.analyst = analysis.New(solver.Options{Table: analystTable, Threads: spare()})
	}
	for d, err := range c.analyst.Discs(ctx, r.Game, r.Opening) {
		if err != nil {
			return err
		}
		v := game.Verdict{Known: true, Before: int8(d.Before), After: int8(d.After)}
		for col, worth := range d.Columns {
			v.Worth[col] = int8(worth)
		}
		send(game.Judged{ID: r.ID, Ply: d.Ply, Verdict: v})
	}
	return nil
}

// Rest frees the tables and returns their memory to the system at once.
func (c *Computer) Rest() {
	*c = Computer{}
	debug.FreeOSMemory()
}
