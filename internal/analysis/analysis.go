// Package analysis looks back at a game with four in a line: it finds the scores before and after each
// disc, and the discs that changed the outcome or let a loss come much sooner. All scores are exact; discs
// too far from the end for that are unknown. The discs are analysed one at a time, the last disc first:
// late positions are solved quickly, and what the solver learns from them makes it faster on the early
// ones.
package analysis

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math"

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

// Story says why the disc has a mark, or "".
func (d Disc) Story() string { return words.Mistake(d.before, d.Verdict, d.Column) }

// ahead returns after how many more discs the game ends, given the player's score.
func (d Disc) ahead(score int8) int {
	return words.EndsAt(d.before.Rules().Cells(), int(score), d.Ply) - d.Ply
}

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
// unknown; the one that let the winner win soon has a mark even so. The last element may be an error:
// [solver.ErrRules] for other lines than four, or the context's.
func (a *Analyst) Discs(ctx context.Context, g board.Game, from int) iter.Seq2[Disc, error] {
	return func(yield func(Disc, error) bool) {
		if g.Position().Rules() != board.Standard {
			a.solver.Reset() // what it remembers would decide which discs are known
		}
		position := g.Position()
		story := teller{reasoner: reasoner{a.solver, gameNodes}, winner: position.Outcome().Winner()}
		known, goesOn := true, true // whether the position is solved, and whether to go on
		judge := func() (j solver.Judgement) {
			if known {
				var err error
				j, err = a.solver.Judge(ctx, position)
				if known = err == nil; !known && !errors.Is(err, solver.ErrNodes) {
					goesOn = false
					yield(Disc{}, err)
				}
			}
			return j
		}
		var after solver.Judgement // of the position after the disc
		if story.winner == board.Empty {
			after = judge()
		} else { // the last disc won, so no other column had a better score
			after.Score = -(position.Rules().Cells() - position.Ply() + 2) / 2
		}
		for ply := position.Ply() - 1; goesOn && ply >= from; ply-- {
			column, then := g.Move(ply), position
			_ = g.Undo() // there is a disc to take back
			position = g.Position()
			d := Disc{Ply: ply, Player: position.Turn(), Column: column, before: position}
			if j := judge(); known {
				d.Known, d.Before, d.After = true, int8(j.Score), int8(-after.Score)
				for col, worth := range j.Columns {
					d.Worth[col] = int8(worth)
				}
				story.explain(ctx, &d, then, j, after)
				after = j
			} else if goesOn {
				if story.blame(ctx, &d, then); ctx.Err() != nil {
					yield(Disc{}, ctx.Err())
					return
				}
			}
			goesOn = goesOn && yield(d, nil)
		}
	}
}

// teller explains the discs of a game, the last one first.
type teller struct {
	reasoner
	winner board.Disc // of the game, down to the disc that decided it
	far    bool       // the end was far away after a disc of the loser's
	then   uint8      // as in [game.Verdict]
}

// soon is how many discs ahead, at most, the end of a game is near, and [game.Later] is a reason. longer
// is how many discs, at least, another column holds out longer than one that lets a loss come much sooner.
const (
	soon   = 12
	longer = 8
)

// explain says why a disc has a mark, given the position after it, and the judgements before and after it.
// A disc let a certain loss come much sooner if its player had lost before it and lost the game, which then
// ends soon, as after each later disc of the player's; another column would have held out for longer; and
// there is a reason other than [game.Distance].
func (t *teller) explain(ctx context.Context, d *Disc, next board.Position, before, after solver.Judgement) {
	lost, changed := d.After < 0 && t.winner == d.Player.Other(), d.Changed()
	t.far = t.far || lost && d.ahead(d.After) > soon
	near := lost && !t.far
	if changed || near && d.ahead(d.Before)-d.ahead(d.After) >= longer {
		w := t.why(ctx, next, after, none, d.Column)
		if d.Sooner = !changed && w.Kind != "" && w.Kind != game.Distance; d.Marked() {
			d.Why, d.Better, d.Then = w, t.why(ctx, d.before, before, none, none), t.then
		}
	}
	if changed {
		d.Decided, t.winner = lost, board.Empty
	}
	switch {
	case d.Sooner: // its own sentence says so
		t.then = 0
	case changed || near:
		t.then = uint8(d.Ply + 1)
	}
}

// blame marks a disc that is not known, given the position after it, if it let the winner win soon and
// another column would have held out longer. That takes far less search than a score.
func (t *teller) blame(ctx context.Context, d *Disc, next board.Position) {
	if t.far || t.winner != d.Player.Other() {
		return
	}
	discs, wins, err := 0, false, error(nil)
	for !wins && discs < soon/2 && err == nil {
		discs++
		wins, err = within(ctx, t.solver, next, discs)
	}
	if t.far = !wins; t.far { // or not to be found out
		return
	}
	loss := toWin(next, discs)
	d.After = int8(-loss)
	for _, col := range plainest(d.before, -loss) {
		other, _ := d.before.Drop(col) // it has room
		if d.Worth[col] = math.MinInt8; other.Outcome() == board.Playing {
			if lost, err := t.solver.AtLeast(ctx, other, loss-longer/2+1); lost || err != nil {
				continue
			}
		}
		if d.Worth[col] = 0; d.Better.Line == "" {
			d.Better = instead(d.before, col)
		}
	}
	if d.Better.Line == "" {
		d.Verdict = game.Verdict{} // every column had lost as soon
		return
	}
	t.winner, d.Sooner = board.Empty, true
	d.Why = t.why(ctx, next, solver.Judgement{Result: solver.Result{Score: loss}}, none, d.Column)
}
