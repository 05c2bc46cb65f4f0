package batch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/history"
	"github.com/c4hat/c4hat/internal/solver"
	"github.com/c4hat/c4hat/internal/solver/batch"
)

// Game is a game to analyse.
type Game struct {
	Name    string // for people
	Game    board.Game
	Opening int   // plies that nobody chose
	Err     error // why there is no game
}

// Lines yields the games of the standard input, one per line.
func Lines(ctx context.Context, in io.Reader) iter.Seq2[Game, error] {
	return func(yield func(Game, error) bool) {
		for next := batch.Lines(in); ; {
			l, err := next(ctx)
			if errors.Is(err, io.EOF) {
				return
			}
			g := Game{Name: l.Where}
			moves := strings.TrimSpace(l.Text)
			switch {
			case err != nil:
			case moves == "":
				continue
			case l.Cut:
				g.Err = errors.New("too long for a game")
			default:
				g.Game, g.Err = board.ParseGame(board.Standard, board.Red, moves)
			}
			if !yield(g, err) || err != nil {
				return
			}
		}
	}
}

// Rounds yields the rounds of a match.
func Rounds(m history.Match) (iter.Seq2[Game, error], error) {
	r := m.Match.Record
	if rules := r.Match.Rules(); rules != board.Standard {
		return nil, fmt.Errorf("match %d was played on %v: %s", m.Number, rules, Reason(solver.ErrRules))
	}
	return func(yield func(Game, error) bool) {
		for i, g := range r.Games() {
			if g.String() == "" { // abandoned before its first disc
				continue
			}
			n := Game{Name: fmt.Sprintf("match %d, round %d", m.Number, i+1), Game: g}
			if i == 0 {
				n.Opening = r.Opening
			}
			if !yield(n, nil) {
				return
			}
		}
	}, nil
}
