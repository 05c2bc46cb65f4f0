package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/c4hat/c4hat/internal/lines"
)

// question is a position that somebody wants to know about, and what is said of it.
type question struct {
	text    string
	tooLong bool   // some of the text was dropped
	where   string // it stands, for people

	line    []byte // the answer
	refused string // why there is none
	done    chan error
}

// answers gives the answers in the order of the questions, each as soon as it can be
// given. The calculators work at the same time.
type answers struct {
	calculators []*calculator
	out, errs   io.Writer
}

// errReported is an error that has been told already.
var errReported = errors.New("some of it failed")

// give answers all questions. next makes a question the next one, and gives io.EOF
// after the last.
func (a *answers) give(ctx context.Context, next func(context.Context, *question) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait() // or progress would be written behind the end
	defer cancel()

	n := 2 * len(a.calculators)
	free, work, queue := make(chan *question, n), make(chan *question, n), make(chan *question, n)
	for range n {
		free <- &question{done: make(chan error, 1)}
	}
	var first atomic.Pointer[question]
	for _, c := range a.calculators {
		c.first = &first
		wg.Go(func() {
			for q := range work {
				q.done <- c.solve(ctx, q)
			}
		})
	}
	var ended error
	wg.Go(func() {
		defer close(queue)
		defer close(work)
		for {
			select {
			case q := <-free:
				if ended = next(ctx, q); ended != nil {
					return
				}
				queue <- q
				work <- q
			case <-ctx.Done():
				return
			}
		}
	})

	bad := false
	for {
		var q *question
		select {
		case q = <-queue:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if q == nil {
			break
		}
		first.Store(q)
		if err := <-q.done; err != nil {
			return err
		}
		if err := a.write(q); err != nil {
			return err
		}
		bad = bad || q.refused != ""
		free <- q
	}
	switch {
	case !errors.Is(ended, io.EOF):
		return ended
	case bad:
		return errReported
	}
	return nil
}

func (a *answers) write(q *question) (err error) {
	if q.refused != "" {
		_, err = fmt.Fprintf(a.errs, "%s: %s\n", q.where, q.refused)
	} else if len(q.line) > 0 {
		_, err = a.out.Write(q.line)
	}
	return err
}

// arguments are the questions of a command line.
func arguments(args []string) func(context.Context, *question) error {
	n := 0
	return func(_ context.Context, q *question) error {
		if n == len(args) {
			return io.EOF
		}
		n++
		q.text, q.where = args[n-1], "argument "+strconv.Itoa(n)
		return nil
	}
}

// inputLines are the questions of the standard input, as they come.
func inputLines(in io.Reader) func(context.Context, *question) error {
	var input <-chan lines.Line
	n := 0
	return func(ctx context.Context, q *question) error {
		if input == nil {
			input = lines.Read(ctx, in)
		}
		select {
		case l := <-input:
			n++
			q.text, q.tooLong, q.where = l.Text, l.Cut, "line "+strconv.Itoa(n)
			if l.Err != nil && !errors.Is(l.Err, io.EOF) {
				return fmt.Errorf("standard input: %w", l.Err)
			}
			return l.Err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
