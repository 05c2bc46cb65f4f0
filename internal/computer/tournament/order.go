package tournament

import (
	"context"
	"io"
	"iter"

	"github.com/c4hat/c4hat/internal/command/cli"
)

// ahead is how many jobs may be begun before an earlier one is done.
const ahead = 256

// work does a job.
type work[J, R any] = func(context.Context, J) (R, error)

// inOrder does jobs and yields the results in the order of the jobs, each as soon as possible. worker returns the
// function of one of the workers. The last element may be the first error of the jobs or a worker, or the cause of
// the context's end. Then no worker works on.
func inOrder[J, R any](ctx context.Context, workers int, jobs iter.Seq2[J, error], worker func() work[J, R]) iter.Seq2[R, error] {
	type result struct {
		of  R
		err error
	}
	return func(yield func(R, error) bool) {
		running, cancel := context.WithCancel(ctx)
		queue, idle := make(chan chan result, ahead), make(chan work[J, R], workers)
		for range workers {
			idle <- worker()
		}
		defer func() {
			cancel()
			for range workers {
				<-idle
			}
		}()
		go func() { // it may wait for input that never comes
			defer close(queue)
			for job, err := range jobs {
				done := make(chan result, 1)
				select {
				case queue <- done:
				case <-running.Done():
					return
				}
				if err != nil {
					done <- result{err: err}
					return
				}
				select {
				case do := <-idle:
					go func() {
						r, err := do(running, job)
						done <- result{r, err}
						idle <- do
					}()
				case <-running.Done():
					return
				}
			}
		}()
		for done := range queue {
			select {
			case r := <-done:
				if !yield(r.of, r.err) || r.err != nil {
					return
				}
			case <-ctx.Done():
			}
			if ctx.Err() != nil {
				break
			}
		}
		if err := context.Cause(ctx); err != nil {
			yield(*new(R), err)
		}
	}
}

// answer is what is written for a line of a list, or why there is nothing.
type answer struct{ text, refused string }

// answerOf returns the answer for the line at a place, or why it has none.
func answerOf(ctx context.Context, where, text string, err error) (answer, error) {
	if err != nil {
		return answer{refused: where + ": " + reason(err)}, context.Cause(ctx)
	}
	return answer{text: text}, nil
}

// writeAll writes answers to out, and to errs why there are none; then it returns [cli.ErrReported].
func writeAll(answers iter.Seq2[answer, error], out, errs io.Writer, progress *cli.Progress) (err error) {
	defer progress.Clear()
	for a, failed := range answers {
		if failed == nil && a.refused != "" {
			failed, err = progress.Print(errs, a.refused+"\n"), cli.ErrReported
		} else if failed == nil {
			failed = progress.Print(out, a.text)
		}
		if failed != nil {
			return failed
		}
	}
	return err
}
