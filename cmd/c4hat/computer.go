package main

import (
	"context"
	"log/slog"
	"runtime/debug"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/analysis"
	"github.com/c4hat/c4hat/internal/cpu"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/loop"
	"github.com/c4hat/c4hat/internal/puzzle"
	"github.com/c4hat/c4hat/internal/solver"
)

// computer plays, gives hints, judges games and makes puzzles.
type computer struct {
	player  cpu.Player
	analyst *analysis.Analyst
}

// options returns a game's options with the computer in them.
func (c *computer) options(log *slog.Logger) loop.Options {
	return loop.Options{
		Advise: c.advise, Think: c.think, Review: c.review, Compose: compose, Rest: c.rest,
		Failed: func(err error) { log.Error("the computer has no answer", "reason", err) },
	}
}

func (c *computer) think(ctx context.Context, t game.Think) (int, error) {
	return c.player.Choose(ctx, t.Level, t.Game.Position(), t.Seed)
}

func (c *computer) advise(ctx context.Context, g board.Game) (game.Advice, error) {
	scores, exact, err := judge(&c.player, ctx, g.Position())
	return game.Advice{Score: scores, Exact: exact}, err
}

// judge is a variable so that a test can make it panic.
var judge = (*cpu.Player).Advise

// analystTable is the size of the table for looking back, in bytes: as for hints.
const analystTable = 8 << 20

// review judges the discs of a game.
func (c *computer) review(ctx context.Context, r game.Review, judged func(int, game.Verdict)) error {
	if c.analyst == nil {
		c.analyst = analysis.New(solver.Options{Table: analystTable})
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

// compose makes a puzzle.
func compose(ctx context.Context, c game.Compose) (game.Puzzle, error) {
	p, err := puzzle.NewMaker(c.Seed).Next(ctx, c.Discs)
	return game.Puzzle(p), err
}

// rest returns the memory to the system at once.
func (c *computer) rest() {
	c.player.Rest()
	c.analyst = nil
	debug.FreeOSMemory()
}
