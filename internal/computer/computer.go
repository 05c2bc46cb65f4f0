// Package computer answers what a game asks: the computer's disc, hints, what the discs of a
// game were worth, and puzzles. [Computer] is the loop's.
package computer

import (
	"context"
	"runtime"
	"runtime/debug"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/analysis"
	"github.com/c4hat/c4hat/internal/cpu"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/puzzle"
	"github.com/c4hat/c4hat/internal/solver"
)

// Computer answers one question at a time. The zero value is ready.
type Computer struct {
	player  cpu.Player
	analyst *analysis.Analyst
}

// Think chooses the computer's column.
func (c *Computer) Think(ctx context.Context, t game.Think) (int, error) {
	return c.player.Choose(ctx, t.Level, t.Game.Position(), t.Seed)
}

// spare returns how many threads search for a hint or look back: one processor stays free
// for the display and the joystick. The computer's own moves are nearly all quick, and more
// threads would need the whole table at once.
func spare() int { return min(max(runtime.GOMAXPROCS(0)-1, 1), mostThreads) }

const mostThreads = 4

// Advise scores each column.
func (c *Computer) Advise(ctx context.Context, g board.Game) (game.Advice, error) {
	c.player.Threads = spare()
	scores, exact, err := c.player.Advise(ctx, g.Position())
	return game.Advice{Score: scores, Exact: exact}, err
}

// analystTable is the size of the table for looking back, in bytes: as for hints.
const analystTable = 8 << 20

// Review judges the discs of a game.
func (c *Computer) Review(ctx context.Context, r game.Review, judged func(int, game.Verdict)) error {
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
		judged(d.Ply, v)
	}
	return nil
}

// Compose makes a puzzle.
func (c *Computer) Compose(ctx context.Context, q game.Compose) (game.Puzzle, error) {
	p, err := puzzle.NewMaker(q.Seed).Next(ctx, q.Discs)
	return game.Puzzle(p), err
}

// Rest returns the memory to the system at once.
func (c *Computer) Rest() {
	*c = Computer{}
	debug.FreeOSMemory()
}
