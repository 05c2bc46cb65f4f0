// Makebook works out the solver's opening book: makebook [flags] STATE BOOK.
//
// What it finds out it keeps in the folder STATE, and goes on from there when it is
// started again: it may be interrupted at any time, or killed. In the end, and when
// it is interrupted, it writes the file BOOK of all that is known by then: a book
// need not be complete, and all that BOOK says already is kept. In this order it
// looks for
//
//   - scores and best moves of positions that the perfect level can come to, with
//     either colour and whatever is played against it: of all before ply -all, and
//     of those up to ply -last that take more than a million nodes;
//   - the scores of all positions of ply -ply: those of earlier ones follow;
//   - the scores after those of them that took 2^-hard nodes or more, and so on.
//
// doc/solver.md has how long that takes.
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

	"github.com/c4hat/c4hat/internal/solver/book"
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
	threads := flag.Int("threads", runtime.NumCPU(), "how many positions to solve at the same time")
	table := flag.Int("table", 2048, "MiB of memory for each of them")
	all := flag.Int("all", 11, "all of the perfect level's positions before this ply")
	ply := flag.Int("ply", 10, "all positions of this ply")
	last := flag.Int("last", 12, "the perfect level's slow positions up to this ply; none with -1")
	hard := flag.Int("hard", 19, "what follows on positions that took two to the power of this nodes; nothing with 63")
	write := flag.Bool("write", false, "only write what is known already")
	flag.Parse()
	if flag.NArg() != 2 {
		return errors.New("want a folder for what is known and the book's file")
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
	fmt.Fprintf(os.Stderr, "%d scores are known beside the book's; %d damaged lines\n", r.count(), skipped)
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

// run finds out what the book is to know.
func (c *crew) run(ctx context.Context, all, ply, last, hard int) error {
	for first := range 2 {
		if err := c.tree(ctx, first, last, all); err != nil {
			return err
		}
	}
	positions, err := c.complete(ctx, ply)
	if err != nil {
		return err
	}
	return c.beyond(ctx, positions, hard)
}

// openBook opens the book of that name, an empty one if there is none.
func openBook(name string) (*book.Book, error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return book.Open(string(data))
}
