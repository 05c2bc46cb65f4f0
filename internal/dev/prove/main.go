// Prove solves empty boards, and compares their scores with the published ones.
//
//	prove boards STATE [BOARD...]     solves boards, each at once
//	prove list BOARD PLY [ANSWERS...] lists the positions of a ply that have no answer yet
//	prove merge BOARD PLY ANSWERS...  finds the score of the empty board from the answers
//
// Boards writes a line to the file STATE for each board that it has solved, and skips those that the
// file already has. Without a BOARD it solves those that take less than an hour in all.
//
// The positions that list prints are independent of each other, one of each pair of mirror images. Any
// number of machines can answer them with c4hat solve, whose output is the ANSWERS. Here two processes solve
// the positions of ply 6; after an interruption, the second line goes on:
//
//	touch answers.0
//	prove list 6x6 6 answers.* | parallel --pipe -N 20 -j 2 'c4hat solve --board 6x6 --table 512' >> answers.0
//	prove merge 6x6 6 answers.*
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"os/signal"
	"slices"
	"strconv"
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

// usual are the boards that boards solves by default, the fastest first.
var usual = strings.Fields("4x4 4x5 5x4 4x6 6x4 5x5 4x7 7x4 4x8 6x5 5x6 8x4 5x7 7x5 6x6 5x8 6x7 7x6 8x5 6x8 7x7")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "prove:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	switch {
	case len(args) >= 2 && args[0] == "boards":
		return boards(ctx, args[1], args[2:], out)
	case len(args) >= 3 && (args[0] == "list" || args[0] == "merge"):
		rules, err := parse(args[1])
		if err != nil {
			return err
		}
		ply, err := strconv.Atoi(args[2])
		if err != nil || ply < 0 || ply > 12 {
			return fmt.Errorf("ply %q: use 0 to 12", args[2])
		}
		t := tree{rules: rules, ply: ply, scores: map[board.Position]int{}}
		for _, name := range args[3:] {
			if err := t.read(name); err != nil {
				return err
			}
		}
		start, _ := board.NewPosition(rules, board.Red) // the rules are valid
		if args[0] == "list" {
			t.list = out
		}
		score := t.score(start, "")
		switch {
		case t.list != nil:
			return nil
		case t.missing > 0:
			return fmt.Errorf("%d positions have no answer", t.missing)
		}
		_, err = fmt.Fprintf(out, "%v %d: %s\n", rules, score, compare(rules, score))
		return err
	}
	return errors.New("use boards, list or merge, and their arguments")
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

// boards solves empty boards that the file state does not have.
func boards(ctx context.Context, state string, names []string, out io.Writer) error {
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

// tree is the game up to a ply, with the scores of positions of that ply.
type tree struct {
	rules   board.Rules
	ply     int
	scores  map[board.Position]int
	list    io.Writer // for positions without a score, or nil
	missing int
}

// read reads the answers of c4hat solve. A line that was cut short is skipped.
func (t *tree) read(name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if !strings.HasSuffix(line, "\n") || len(fields) < 4 {
			continue
		}
		p, err := board.Parse(t.rules, strings.Trim(fields[0], "-"))
		score, err2 := strconv.Atoi(fields[1])
		if err = errors.Join(err, err2); err != nil {
			return fmt.Errorf("%s: %.40q: %w", name, line, err)
		}
		t.scores[t.canonical(p, fields[0])] = score
	}
	return nil
}

// score returns the score of a position, reached by moves, from those of ply t.ply.
func (t *tree) score(p board.Position, moves string) int {
	if p.Outcome() == board.Draw {
		return 0
	}
	key := t.canonical(p, moves)
	if score, ok := t.scores[key]; ok {
		return score
	}
	if p.Ply() == t.ply {
		t.missing++
		t.scores[key] = 0 // listed only once
		if t.list != nil {
			fmt.Fprintln(t.list, max(moves, "-"))
		}
		return 0
	}
	best := -t.rules.Cells()
	for column := range p.LegalMoves() {
		next, _ := p.Drop(column) // it is legal
		score := (t.rules.Cells() + 1 - p.Ply()) / 2
		if next.Outcome().Winner() == board.Empty {
			score = -t.score(next, moves+strconv.Itoa(column+1))
		}
		best = max(best, score)
	}
	t.scores[key] = best
	return best
}

// canonical returns a position or its mirror image, which share a score.
func (t *tree) canonical(p board.Position, moves string) board.Position {
	image := []byte(strings.Trim(moves, "-"))
	for i, c := range image {
		image[i] = byte('1' + t.rules.Columns - int(c-'0'))
	}
	q, err := board.Parse(t.rules, string(image))
	if err != nil {
		return p
	}
	mine := func(p board.Position) []uint64 {
		return []uint64{bits.ReverseBytes64(uint64(p.Discs(board.Red))), uint64(p.Discs(board.Yellow))}
	}
	if slices.Compare(mine(q), mine(p)) < 0 {
		return q
	}
	return p
}
