package computer

import (
	"context"
	"io"
	"iter"
	"sync"

	"github.com/c4hat/c4hat/internal/computer/analysis"
	"github.com/c4hat/c4hat/internal/game"
)

// Puzzles is a Computer that takes its puzzles from a sequence. After the last one it answers
// with [io.EOF].
type Puzzles struct {
	Computer
	making sync.Mutex // next and stop must not run at the same time
	next   func() (analysis.Puzzle, error, bool)
	stop   func()
	err    error
}

// NewPuzzles returns Puzzles that take their puzzles from sequence. The caller must call Close.
func NewPuzzles(sequence iter.Seq2[analysis.Puzzle, error]) *Puzzles {
	p := new(Puzzles)
	p.next, p.stop = iter.Pull2(sequence)
	return p
}

// Answer returns the answer to a question. If q asks for a puzzle, the answer is the next one of
// the sequence.
func (p *Puzzles) Answer(ctx context.Context, q game.Question, send func(game.Event)) (game.Answered, error) {
	if q.Kind != game.Compose {
		return p.Computer.Answer(ctx, q, send)
	}
	p.making.Lock()
	defer p.making.Unlock()
	made, err, ok := p.next()
	if !ok {
		err = io.EOF
	}
	p.err = err
	return game.Answered{ID: q.ID, Puzzle: game.Puzzle(made)}, err
}

// Close ends the sequence and returns the error of the last analysis. If a puzzle is being made,
// Close waits for it.
func (p *Puzzles) Close() error {
	p.making.Lock()
	defer p.making.Unlock()
	p.stop()
	return p.err
}
