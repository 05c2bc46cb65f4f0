package computer

import (
	"context"
	"io"
	"iter"
	"sync"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/puzzle"
)

// Puzzles is a Computer that composes a sequence of puzzles, and has [io.EOF] after the last.
type Puzzles struct {
	Computer
	making sync.Mutex // next and stop must not run side by side
	next   func() (puzzle.Puzzle, error, bool)
	stop   func()
	err    error
}

// NewPuzzles returns Puzzles. The caller must Close them.
func NewPuzzles(sequence iter.Seq2[puzzle.Puzzle, error]) *Puzzles {
	p := new(Puzzles)
	p.next, p.stop = iter.Pull2(sequence)
	return p
}

// Compose returns the next puzzle.
func (p *Puzzles) Compose(context.Context, game.Compose) (game.Puzzle, error) {
	p.making.Lock()
	defer p.making.Unlock()
	made, err, ok := p.next()
	if !ok {
		err = io.EOF
	}
	p.err = err
	return game.Puzzle(made), err
}

// Close ends the sequence, and returns the error of the last puzzle. It waits for one that
// is being made.
func (p *Puzzles) Close() error {
	p.making.Lock()
	defer p.making.Unlock()
	p.stop()
	return p.err
}
