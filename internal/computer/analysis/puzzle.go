package analysis

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// Puzzle is a [game.Puzzle]: a position in which exactly one column wins, now and at each later turn of
// its line. Its difficulty is the number of discs that the player drops to win, including the winning
// one. In its line, the player's columns are the only ones that win, and the opponent's columns delay
// the win as long as possible. After the winning disc the line is zero. A Puzzle is a comparable value.
type Puzzle game.Puzzle

// MarshalJSON writes the puzzle as an object, in which the column is numbered from 1.
func (p Puzzle) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Position string `json:"position"`
		Discs    int    `json:"discs"`
		Column   int    `json:"column"`
	}{p.Game.String(), p.Discs, int(p.Line[0]) + 1})
}

// ErrNoPuzzle is the error for a position that is not a puzzle.
var ErrNoPuzzle = errors.New("analysis: not a position with a single way to win soon")

// PuzzleOf returns the puzzle at a game's current position. The error is [ErrNoPuzzle], one of the
// solver's, or the context's.
//
// The opponent plays a best defence, which loses as late as possible. If several columns are
// best, it chooses one that leaves the player a single winning column: it blocks one of two threats.
func PuzzleOf(ctx context.Context, s *solver.Solver, g board.Game) (p Puzzle, err error) {
	for discs := 1; discs <= game.MaxPuzzle; discs++ {
		if p, err = exactly(ctx, s, g, discs); !errors.Is(err, ErrNoPuzzle) {
			break
		}
	}
	return p, err
}

// exactly returns the puzzle at a game's current position if it takes that many discs.
func exactly(ctx context.Context, s *solver.Solver, g board.Game, discs int) (Puzzle, error) {
	for n := discs; n > 0 && n >= discs-1; n-- {
		if wins, err := within(ctx, s, g.Position(), n); err != nil || wins != (n == discs) {
			return Puzzle{}, cmp.Or(err, ErrNoPuzzle)
		}
	}
	p := Puzzle{Game: g, Discs: discs}
	return p, only(ctx, s, g.Position(), p.Line[:2*discs-1])
}

// within reports whether the side to move wins with at most this many discs.
func within(ctx context.Context, s *solver.Solver, p board.Position, discs int) (bool, error) {
	return s.AtLeast(ctx, p, max(1, words.ToWin(p, discs)))
}

// only checks that a single column wins, now and at each later turn, and fills in the
// line to the win.
func only(ctx context.Context, s *solver.Solver, p board.Position, line []uint8) error {
	column := -1
	for col := range p.LegalMoves() {
		next, _ := p.Drop(col)
		wins := next.Outcome().Winner() != board.Empty
		if next.Outcome() == board.Playing {
			holds, err := s.AtLeast(ctx, next, 0)
			if err != nil {
				return err
			}
			wins = !holds
		}
		switch {
		case !wins:
		case column >= 0:
			return ErrNoPuzzle
		default:
			column = col
		}
	}
	line[0] = uint8(column)
	if len(line) == 1 {
		return nil
	}
	p, _ = p.Drop(column) // it is free
	_, defences, err := s.Best(ctx, p)
	if err != nil {
		return err
	}
	for _, reply := range defences {
		line[1] = uint8(reply)
		next, _ := p.Drop(reply) // it is free
		if err = only(ctx, s, next, line[2:]); !errors.Is(err, ErrNoPuzzle) {
			return err
		}
	}
	return ErrNoPuzzle
}

// Missed yields the puzzles of a game, the last one first: positions in which the player could win and dropped a
// disc that did not. The computer's discs and those of an opening are skipped. The last element may be the
// context's error, or [solver.ErrRules].
func (a *Analyst) Missed(ctx context.Context, g board.Game, opening int, computer board.Disc) iter.Seq2[Puzzle, error] {
	return func(yield func(Puzzle, error) bool) {
		for d, err := range a.Discs(ctx, g, opening) {
			var p Puzzle
			if err == nil {
				for g.Position().Ply() > d.Ply {
					_ = g.Undo()
				}
				if !d.Changed() || d.Before <= 0 || d.Player == computer {
					continue
				}
				p, err = PuzzleOf(ctx, a.solver, g)
			}
			if errors.Is(err, ErrNoPuzzle) || errors.Is(err, solver.ErrNodes) {
				continue
			}
			if !yield(p, err) || err != nil {
				return
			}
		}
	}
}
