// Package analysis looks back at a game with four in a line: it finds what everybody sees, a line that was
// missed or not blocked, the scores before and after each disc, and the discs that changed the outcome. All
// scores are exact; those of discs too far from the end are unknown. The discs are analysed one at a time, the
// last disc first: late positions are solved quickly, and what the solver learns from them makes it faster on
// the early ones.
package analysis

import (
	"cmp"
	"context"
	"errors"
	"iter"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// Disc is the analysis of one disc of a game. It is a comparable value.
type Disc struct {
	Ply    int        // 0 for the first of the game
	Player board.Disc // who dropped it
	Column int        // where, from 0
	game.Verdict
	before board.Position
}

// Kept reports whether the disc kept the position's score: no column was better.
func (d Disc) Kept() bool { return d.Known && d.After == d.Before }

// Best returns the columns that keep the position's score, from the left.
func (d Disc) Best() []int { return d.AtLeast(d.before, d.Before) }

// Mark returns how the disc changed the outcome, "win to loss", or "" if it did not.
func (d Disc) Mark() string {
	if !d.Changed() {
		return ""
	}
	return words.Outcome(int(d.Before)) + " to " + words.Outcome(int(d.After))
}

// Story says what there is to say about the disc, or "".
func (d Disc) Story() string { return words.Remark(d.before, d.Verdict, words.DiscIn(d.Ply, d.Column)) }

// Analyst analyses games, one at a time. It remembers positions from earlier games.
type Analyst struct{ solver *solver.Solver }

// New returns an Analyst that uses a new solver with the options.
func New(o solver.Options) *Analyst {
	o.Nodes = cmp.Or(o.Nodes, discNodes)
	return &Analyst{solver.New(o)}
}

// discNodes is the default of how many positions the solver visits for a disc. It suffices for any
// disc on the standard board.
const discNodes = 10_000_000

// Discs yields the discs of a game, the last one first, down to that of ply from. from is 0, or the
// length of an opening that the players did not choose. Each disc is yielded as soon as it has been
// analysed. If the solver does not solve a position within its limit, the discs up to there are
// unknown, and only what the rules say is said of them. The last element may be an error:
// [solver.ErrRules] for other lines than four, or the context's.
func (a *Analyst) Discs(ctx context.Context, g board.Game, from int) iter.Seq2[Disc, error] {
	return func(yield func(Disc, error) bool) {
		position := g.Position()
		if position.Rules() != board.Standard {
			a.solver.Reset() // what it remembers would decide which discs are known
		}
		reasons := reasoner{a.solver, gameNodes}
		undecided := position.Outcome() != board.Playing // no disc so far decided the game
		// The last disc won, so no other column had a better score, or there is one more position to judge.
		after := solver.Judgement{Result: solver.Result{Score: -(position.Rules().Cells() - position.Ply() + 2) / 2}}
		var unsolved error
		if position.Outcome().Winner() == board.Empty {
			after, unsolved = a.solver.Judge(ctx, position)
		}
		for ply := position.Ply() - 1; ply >= from; ply-- {
			next := position
			d := Disc{Ply: ply, Column: g.Move(ply)}
			_ = g.Undo() // there is a disc to take back
			position = g.Position()
			d.Player, d.before = position.Turn(), position
			d.Remark, d.Cells = fact(position, d.Column)
			var before solver.Judgement
			if unsolved == nil {
				before, unsolved = a.solver.Judge(ctx, position)
			}
			switch {
			case unsolved == nil:
				d.Known, d.Before, d.After = true, int8(before.Score), int8(-after.Score)
				for col, worth := range before.Columns {
					d.Worth[col] = int8(worth)
				}
				if d.Changed() {
					d.Why = reasons.why(ctx, next, after.Score, none)
					d.Better = reasons.why(ctx, position, before.Score, none)
					d.Decided, undecided = undecided, false
				}
			case !errors.Is(unsolved, solver.ErrNodes):
				yield(Disc{}, unsolved)
				return
			}
			if after = before; !yield(d, nil) {
				return
			}
		}
	}
}

// fact returns what everybody sees of a disc in a column of a position, by the rules alone, and the cells in
// which a player could complete a line.
func fact(p board.Position, col int) (game.Remark, game.Cells) {
	cell := landing(p, col)
	mine, theirs := p.Threats(p.Turn())&landings(p), threatened(p)
	won := p.Threats(p.Turn().Other()) // by the opponent, with a disc there
	switch {
	case mine&cell != 0:
		return "", 0
	case mine != 0:
		return game.MissedFour, game.Cells(mine)
	case theirs.Count() > 1:
		return game.Cornered, game.Cells(theirs)
	case won&over(theirs) != 0:
		return game.Cornered, game.Cells(theirs | won&over(theirs))
	case theirs&^cell != 0:
		return game.MissedBlock, game.Cells(theirs)
	case won&over(cell) != 0:
		return game.Under, game.Cells(won & over(cell))
	}
	return "", 0
}
