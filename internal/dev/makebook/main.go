// Makebook computes the solver's opening book: makebook [flags] STATE BOOK.
//
// It saves its results in the folder STATE and resumes from there, so it may be interrupted
// or killed at any time. At the end, and when interrupted, it writes all results so far to the
// file BOOK, and keeps what an existing BOOK contains. A book need not be complete. Makebook
// computes, in this order,
//
//   - scores and best moves of the positions that the perfect level can reach, with either
//     colour and against any play: all of them before ply -all, and those up to ply -last
//     that take more than a million nodes;
//   - the scores of all positions of ply -ply, from which those of earlier plies follow;
//   - the scores of the successors of those that took 2^hard nodes (flag -hard) or more,
//     then of the successors of the hard ones among these, and so on.
//
// doc/solver.md says how long the computation takes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/c4hat/c4hat/board/solver/book"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "makebook:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	threads := flag.Int("threads", runtime.NumCPU(), "positions solved in parallel")
	table := flag.Int("table", 2048, "memory per thread in MiB")
	all := flag.Int("all", 11, "solve all of the perfect level's positions before this ply")
	ply := flag.Int("ply", 11, "solve all positions of this ply")
	last := flag.Int("last", 12, "solve the perfect level's slow positions up to this ply; -1: none")
	hard := flag.Int("hard", 19, "solve the successors of positions that took 2 to the power of this nodes; 63: none")
	write := flag.Bool("write", false, "only write the book from the results so far")
	flag.Parse()
	if flag.NArg() != 2 {
		return errors.New("name a folder for the results, and the book's file")
	}
	state, name := flag.Arg(0), flag.Arg(1)
	if err := os.MkdirAll(state, 0o755); err != nil {
		return err
	}
	r, skipped, err := openResults(filepath.Join(state, "results"))
	if err != nil {
		return err
	}
	if r.book, err = openBook(name); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d scores that the book does not have; %d damaged lines\n", r.count(), skipped)
	if !*write {
		c := &crew{results: r}
		for range *threads {
			c.workers = append(c.workers, newWorker(r, *table<<20))
		}
		if err := c.run(ctx, *all, *ply, *last, *hard); err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return r.write(name)
}

// run computes the book's contents.
func (c *crew) run(ctx context.Context, all, ply, last, hard int) error {
	for first := range 2 {
		if err := c.perfect(ctx, first, last, all); err != nil {
			return err
		}
	}
	positions, err := c.complete(ctx, ply)
	if err != nil {
		return err
	}
	return c.successors(ctx, positions, hard)
}

// openBook opens a book file, or an empty book if there is none.
func openBook(name string) (*book.Book, error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return book.Open(data)
}
