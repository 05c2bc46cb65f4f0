package tournament

import (
	"context"
	"fmt"
	"io"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/c4hat/c4hat/internal/command/cli"
)

// ahead is how many jobs may be begun before an earlier one is done.
const ahead = 256

// inOrder does jobs and yields the results in the order of the jobs, each as soon as possible. worker returns a
// function for one of the workers; that function's last argument reports whether the job's result is the next one, so
// that the user may see its progress. The last element may be the first error of the jobs or a worker, or the cause of
// the context's end.
func inOrder[J, R any](
	ctx context.Context, workers int, jobs iter.Seq2[J, error], worker func() func(context.Context, J, func() bool) (R, error),
) iter.Seq2[R, error] {
	type task struct {
		job    J
		result R
		err    error
		next   atomic.Bool
		done   chan struct{}
	}
	return func(yield func(R, error) bool) {
		whole := ctx // the jobs may see its end before ctx has ended too
		ctx, cancel := context.WithCancel(ctx)
		var running sync.WaitGroup
		defer running.Wait()
		defer cancel()
		queue, work := make(chan *task, ahead), make(chan *task)
		for range workers {
			running.Go(func() {
				do := worker()
				for t := range work {
					t.result, t.err = do(ctx, t.job, t.next.Load)
					close(t.done)
				}
			})
		}
		go func() { // it may wait for input that never comes
			defer close(queue)
			defer close(work)
			for job, err := range jobs {
				t := &task{job: job, err: err, done: make(chan struct{})}
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
			}
		}()
		for t := range queue {
			t.next.Store(true)
			select {
			case <-t.done:
			case <-ctx.Done():
			}
			if ctx.Err() != nil {
				break
			}
			if !yield(t.result, t.err) || t.err != nil {
				return
			}
		}
		if err := context.Cause(whole); err != nil {
			cancel()
			running.Wait() // no worker shows progress any more
			yield(*new(R), err)
		}
	}
}

// answer is what is written for a line of a list, or why there is nothing.
type answer struct{ text, refused string }

// writeAll writes answers to out, and to errs why there are none; then it returns [cli.ErrReported].
func writeAll(answers iter.Seq2[answer, error], out, errs io.Writer, progress *cli.Progress) error {
	defer progress.Clear()
	refused := false
	for a, err := range answers {
		progress.Clear()
		switch {
		case err != nil:
		case a.refused != "":
			refused = true
			_, err = fmt.Fprintln(errs, a.refused)
		case a.text != "": // else an empty line
			_, err = io.WriteString(out, a.text)
		}
		if err != nil {
			return err
		}
	}
	if refused {
		return cli.ErrReported
	}
	return nil
}
