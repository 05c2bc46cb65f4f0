package tournament

import (
	"context"
	"io"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/c4hat/c4hat/internal/command/cli"
)

// pool does many jobs: positions to solve, games to analyse, games to play.
type pool[J, R any] struct {
	workers int
	jobs    iter.Seq2[J, error]
	worker  func() func(context.Context, J, show) (R, error) // returns a function for one worker
	take    func(R) error

	progress *cli.Progress // may be nil
}

// show shows the progress of a job, if the result of that job is taken next.
type show = func(format string, args ...any)

// ahead is how many jobs may be begun before an earlier one is done.
const ahead = 256

// run does the jobs, and takes the results in the order of the jobs, each as soon as possible. It ends with the
// first error of the jobs, a worker or take, or with the cause of the context's end.
func (p pool[J, R]) run(ctx context.Context) error {
	type task struct {
		number int64
		job    J
		result R
		err    error
		done   chan struct{}
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	queue, work := make(chan *task, ahead), make(chan *task)
	var taken atomic.Int64
	for range p.workers {
		running.Go(func() {
			do := p.worker()
			for t := range work {
				t.result, t.err = do(ctx, t.job, func(format string, args ...any) {
					if taken.Load() == t.number {
						p.progress.Show(format, args...)
					}
				})
				close(t.done)
			}
		})
	}
	go func() { // it may wait for input that never comes
		defer close(queue)
		defer close(work)
		number := int64(0)
		for job, err := range p.jobs {
			t := &task{number: number, job: job, err: err, done: make(chan struct{})}
			select {
			case queue <- t:
			case <-ctx.Done():
				return
			}
			if err != nil {
				close(t.done)
				return
			}
			select {
			case work <- t:
			case <-ctx.Done():
				return
			}
			number++
		}
	}()
	for t := range queue {
		select {
		case <-t.done:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		if t.err != nil {
			return t.err
		}
		if err := p.take(t.result); err != nil {
			return err
		}
		taken.Add(1)
	}
	return context.Cause(ctx)
}

// answer is what is written for a job, or why there is none.
type answer struct{ text, refused string }

// writeAll writes the answers to out, and to errs why there are none; then it returns [cli.ErrReported]. If errs
// is a terminal, it shows the progress there.
func writeAll[J any](ctx context.Context, p pool[J, answer], out, errs io.Writer) error {
	p.progress = cli.NewProgress(errs)
	defer p.progress.Clear()
	refused := false
	p.take = func(a answer) error {
		p.progress.Clear()
		to, text := out, a.text
		if a.refused != "" {
			refused, to, text = true, errs, a.refused+"\n"
		}
		if text == "" { // of an empty line
			return nil
		}
		_, err := io.WriteString(to, text)
		return err
	}
	err := p.run(ctx)
	if err == nil && refused {
		return cli.ErrReported
	}
	return err
}
