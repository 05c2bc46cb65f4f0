package computer

import (
	"context"
	"io"
	"iter"

	"github.com/c4hat/c4hat/internal/computer/analysis"
	"github.com/c4hat/c4hat/internal/game"
)

// Puzzles is a Computer that takes its puzzles from a sequence, and makes the next one while the last is solved.
// After the sequence it answers with its error, or [io.EOF].
type Puzzles struct {
	Computer
	made  chan analysis.Puzzle
	ended context.Context // its cause is why there are no more
}

// NewPuzzles returns Puzzles from a sequence, until the context is done.
func NewPuzzles(ctx context.Context, sequence iter.Seq2[analysis.Puzzle, error]) *Puzzles {
	ended, end := context.WithCancelCause(ctx)
	p := &Puzzles{made: make(chan analysis.Puzzle), ended: ended}
	go func() {
		defer end(io.EOF)
		for made, err := range sequence {
			if err != nil {
				end(err)
				return
			}
			select {
			case p.made <- made:
			case <-ended.Done():
				return
			}
		}
	}()
	return p
}

// Answer returns the answer to a question. If q asks for a puzzle, the answer is the next one of the sequence.
func (p *Puzzles) Answer(ctx context.Context, q game.Question, send func(game.Event)) (game.Answered, error) {
	if q.Kind != game.Compose {
		return p.Computer.Answer(ctx, q, send)
	}
	select {
	case made := <-p.made:
		return game.Answered{ID: q.ID, Puzzle: game.Puzzle(made)}, nil
	case <-p.ended.Done():
		return game.Answered{}, p.Err()
	case <-ctx.Done():
		return game.Answered{}, ctx.Err()
	}
}

// Err returns why there are no more puzzles, or nil.
func (p *Puzzles) Err() error { return context.Cause(p.ended) }
