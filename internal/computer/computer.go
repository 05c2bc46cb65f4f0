// Package computer answers the game's questions: it chooses columns at a level, gives hints, judges
// the discs of a game, and hands out puzzles. It uses no clock: searches are limited by the number of
// positions, so that the same seed gives the same game on every machine.
package computer

import (
	"context"
	"runtime"
	"runtime/debug"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/computer/analysis"
	"github.com/c4hat/c4hat/internal/game"
)

// Computer answers one question at a time. The zero value is ready. It keeps the solver's tables
// from answer to answer, until [Computer.Rest].
type Computer struct {
	Table int // size in bytes of the table for the computer's own moves; 0 means the solver's default

	solver  *solver.Solver
	adviser *solver.Solver // reset before each hint
	analyst *analysis.Analyst
}

// Answer returns the answer to a question. If q is a [game.Review], it first passes the verdicts to send.
func (c *Computer) Answer(ctx context.Context, q game.Question, send func(game.Event)) (a game.Answered, err error) {
	a.ID = q.ID
	switch q.Kind {
	case game.Think:
		a.Col, err = c.Choose(ctx, q.Level, q.Game.Position(), q.Seed)
	case game.Advise:
		a.Advice, err = c.Advise(ctx, q.Game.Position())
	case game.Review:
		err = c.review(ctx, q, send)
	case game.Compose:
		for p, failed := range analysis.Puzzles(ctx, board.Standard, q.Seed, q.Discs) {
			a.Puzzle, err = game.Puzzle(p), failed
			break
		}
	}
	return a, err
}

// spare returns how many threads search for a hint or for a look back. One processor stays free for
// the display and the joystick. The computer's own moves use a single thread, because nearly all of
// them are quick and more threads would need the whole table at once.
func spare() int { return min(max(runtime.GOMAXPROCS(0)-1, 1), mostThreads) }

const mostThreads = 4

// analystTable is the size in bytes of the table for a look back, equal to that for hints.
const analystTable = 8 << 20

// reviewNodes limits the positions that each thread visits for a disc in a look back: about four
// seconds on a Pi Zero 2 W. Where that does not suffice, the look back ends.
const reviewNodes = 8_000_000

// review sends a verdict on each disc of a game.
func (c *Computer) review(ctx context.Context, q game.Question, send func(game.Event)) error {
	if c.analyst == nil {
		c.analyst = analysis.New(solver.Options{Table: analystTable, Threads: spare(), Nodes: reviewNodes})
	}
	for d, err := range c.analyst.Discs(ctx, q.Game, q.Opening) {
		if err != nil {
			return err
		}
		if d.Known || d.Marked() {
			send(game.Answered{ID: q.ID, More: true, Ply: d.Ply, Verdict: d.Verdict})
		}
	}
	return nil
}

// Rest frees the tables and returns their memory to the system at once.
func (c *Computer) Rest() {
	*c = Computer{Table: c.Table}
	debug.FreeOSMemory()
}
