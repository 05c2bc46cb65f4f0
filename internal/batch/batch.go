// Package batch solves many positions and analyses many games, read as text, and writes the answers
// in order.
package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/cli"
)

// Options configure how positions are solved and what is written.
type Options struct {
	Rules   board.Rules // of the board; zero means the standard one
	Columns bool        // also write the score of each column
	JSON    bool        // write one object per line
	Fresh   bool        // reset the solver before each position; the measured time excludes the reset

	Solver  solver.Options // of each thread
	Threads int            // positions solved in parallel, at least 1
	Header  bool           // write a line with the names of the fields first, unless JSON
}

// Source returns the next position, or [io.EOF] after the last.
type Source func(context.Context) (Position, error)

// Position is a position to solve.
type Position struct {
	Text  string
	Cut   bool   // the input was too long; Text has only its start
	Where string // the position's place in the input, for messages: "line 3"
}

// job is a position to solve and, once done has received, its answer.
type job struct {
	Position
	answer  []byte
	refused string // why there is no answer
	done    chan error
}

// Solve writes the answers in the order of the positions, each as soon as possible. If errs is a
// terminal, it shows the progress there. A refused position gets a line on errs, and the error at the end
// is [cli.ErrReported]. Any other error is the source's, a writer's, or the context's cause.
func Solve(ctx context.Context, next Source, out, errs io.Writer, o Options) error {
	o.Rules = cmp.Or(o.Rules, board.Standard)
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	progress := cli.NewProgress(errs)
	defer progress.Clear()
	defer wg.Wait() // so that no progress is written after Solve returns
	defer cancel()

	if o.Header && !o.JSON {
		header := "POSITION SCORE NODES MICROSECONDS"
		if o.Columns {
			for column := range o.Rules.Columns {
				header += fmt.Sprintf(" %d", column+1)
			}
		}
		if _, err := fmt.Fprintln(out, header); err != nil {
			return err
		}
	}
	n := 2 * o.Threads
	free, work, queue := make(chan *job, n), make(chan *job, n), make(chan *job, n)
	for range n {
		free <- &job{done: make(chan error, 1)}
	}
	var first atomic.Pointer[job] // the job whose answer is written next
	for range o.Threads {
		w := newWorker(o, progress.Show, &first)
		wg.Go(func() {
			for q := range work {
				q.done <- w.solve(ctx, q)
			}
		})
	}
	var readErr error
	wg.Go(func() {
		defer close(queue)
		defer close(work)
		for {
			select {
			case q := <-free:
				if q.Position, readErr = next(ctx); readErr != nil {
					return
				}
				queue <- q
				work <- q
			case <-ctx.Done():
				readErr = context.Cause(ctx)
				return
			}
		}
	})

	refused := false
	for q := range queue {
		first.Store(q)
		err := <-q.done
		progress.Clear()
		if err == nil {
			err = q.write(out, errs)
		}
		if err != nil {
			return err
		}
		refused = refused || q.refused != ""
		free <- q
	}
	switch {
	case !errors.Is(readErr, io.EOF):
		return readErr
	case refused:
		return cli.ErrReported
	}
	return nil
}

func (q *job) write(out, errs io.Writer) (err error) {
	if q.refused != "" {
		_, err = fmt.Fprintf(errs, "%s: %s\n", q.Where, q.refused)
	} else if len(q.answer) > 0 {
		_, err = out.Write(q.answer)
	}
	return err
}

// Args returns the positions of a command line.
func Args(args []string) Source {
	n := 0
	return func(context.Context) (Position, error) {
		if n == len(args) {
			return Position{}, io.EOF
		}
		n++
		return Position{Text: args[n-1], Where: "c4hat: argument " + strconv.Itoa(n)}, nil
	}
}

// Lines returns the positions of the standard input, one per line.
func Lines(in io.Reader) Source {
	var input <-chan cli.Line
	n := 0
	return func(ctx context.Context) (Position, error) {
		if input == nil {
			input = cli.ReadLines(ctx, in)
		}
		select {
		case l := <-input:
			n++
			if l.Err != nil && !errors.Is(l.Err, io.EOF) {
				return Position{}, fmt.Errorf("standard input: %w", l.Err)
			}
			return Position{l.Text, l.Cut, "line " + strconv.Itoa(n)}, l.Err
		case <-ctx.Done():
			return Position{}, context.Cause(ctx)
		}
	}
}
