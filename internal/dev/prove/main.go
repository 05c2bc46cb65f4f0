// Prove solves empty boards, and compares their scores with the published ones: prove FILE [BOARD...].
//
// It writes a line to FILE for each board that it has solved, and skips those that the file already has.
// Without a BOARD it solves those that take less than an hour in all.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
)

// published are the last moves of perfect games on empty boards, columns x rows: of a game that the
// first player wins, or negative if the second player wins. Boards that are not listed are a draw.
var published = map[string]int{
	"6x4": -24, "8x4": -32, "8x5": 39, "6x6": -36, "7x6": 41, "8x6": -48,
	"6x7": 41, "8x7": 53, "6x8": -48, "7x8": 55, "8x8": -62,
}

// usual are the boards that are solved by default, the fastest first.
var usual = strings.Fields("4x4 4x5 5x4 4x6 6x4 5x5 4x7 7x4 4x8 6x5 5x6 8x4 5x7 7x5 6x6 5x8 6x7 7x6 8x5 6x8 7x7")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: prove FILE [BOARD...]")
		os.Exit(2)
	}
	if err := prove(ctx, os.Args[1], os.Args[2:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "prove:", err)
		os.Exit(1)
	}
}

func parse(text string) (board.Rules, error) {
	columns, rows, err := board.ParseSize(text)
	return board.Rules{Columns: columns, Rows: rows, Connect: board.Standard.Connect}, err
}

// compare says whether a score of an empty board is the published one.
func compare(r board.Rules, score int) string {
	if want := expected(r); score != want {
		return fmt.Sprintf("WRONG, published: %d", want)
	}
	return "as published"
}

// expected returns the published score of an empty board. The winner's score counts the discs that it
// has left, with the last one.
func expected(r board.Rules) int {
	switch last := published[r.String()]; {
	case last > 0:
		return (r.Cells() + 2 - last) / 2
	case last < 0:
		return -(r.Cells() + 2 + last) / 2
	}
	return 0
}

// prove solves empty boards that the file state does not have.
func prove(ctx context.Context, state string, names []string, out io.Writer) error {
	f, err := os.OpenFile(state, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	done := map[string]bool{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		name, _, _ := strings.Cut(lines.Text(), " ")
		done[name] = true
		fmt.Fprintln(out, lines.Text())
	}
	if len(names) == 0 {
		names = usual
	}
	s := solver.New(solver.Options{Table: 1 << 30, NoBook: true})
	for _, name := range names {
		rules, err := parse(name)
		if err != nil {
			return err
		}
		if done[name] {
			continue
		}
		start, _ := board.NewPosition(rules, board.Red) // the rules are valid
		began := time.Now()
		r, err := s.Solve(ctx, start)
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%s %d: %s, %d positions, %.1f s", name, r.Score, compare(rules, r.Score), r.Nodes, time.Since(began).Seconds())
		fmt.Fprintln(out, line)
		if _, err := fmt.Fprintln(f, line); err != nil {
			return err
		}
	}
	return nil
}
