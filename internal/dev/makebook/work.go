package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/c4hat/c4hat/board/solver"
)

// worker solves positions in its own goroutine.
type worker struct {
	*results
	warm  *solver.Solver // keeps its table and uses the embedded book
	fresh *solver.Solver // starts empty, has no book and gives up after quickNodes
}

// quickNodes is the maximum number of nodes of a quick answer.
const quickNodes = 1_000_000

func newWorker(r *results, table int) *worker {
	return &worker{
		results: r,
		warm:    solver.New(solver.Options{Table: table}),
		fresh:   solver.New(solver.Options{Nodes: quickNodes, NoBook: true}),
	}
}

// crew runs the workers and reports their progress.
type crew struct {
	*results
	workers []*worker
}

// A worker takes up to maxChunk neighbouring positions at a time, because they have much in common.
const maxChunk = 32

// each calls do for 0 to n-1, in parallel.
func (c *crew) each(ctx context.Context, what string, n int, do func(w *worker, i int) error) error {
	chunk := max(1, min(maxChunk, n/(8*len(c.workers))))
	var next, done atomic.Int64
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	failed := make([]error, len(c.workers))
	for id, w := range c.workers {
		wg.Go(func() {
			for {
				from := int(next.Add(int64(chunk))) - chunk
				for i := from; i < min(from+chunk, n); i++ {
					if failed[id] = errors.Join(ctx.Err(), do(w, i)); failed[id] != nil {
						cancel()
						return
					}
					done.Add(1)
				}
				if from >= n {
					return
				}
			}
		})
	}
	finished := make(chan struct{})
	go func() {
		wg.Wait()
		close(finished)
	}()
	start, tick := time.Now(), time.NewTicker(2*time.Second)
	defer tick.Stop()
	for ticks := 1; ; ticks++ {
		select {
		case <-finished:
			c.report(what, start, int(done.Load()), n)
			return errors.Join(append(failed, c.flush())...)
		case <-tick.C:
			if err := c.flush(); err != nil {
				return err
			}
			if ticks%15 == 0 {
				c.report(what, start, int(done.Load()), n)
			}
		}
	}
}

func (c *crew) report(what string, start time.Time, done, n int) {
	took := time.Since(start)
	left := "?"
	if done > 0 {
		left = (took * time.Duration(n-done) / time.Duration(done)).Round(time.Second).String()
	}
	fmt.Fprintf(os.Stderr, "%s %s: %d of %d in %s, %s left; %d scores\n",
		time.Now().Format("15:04:05"), what, done, n, took.Round(time.Second), left, c.count())
}
