package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/lines"
	"github.com/c4hat/c4hat/internal/solver"
	"github.com/spf13/cobra"
)

func newSolve() *cobra.Command {
	table := numberValue{n: solver.DefaultTable >> 20, least: 1, most: mostTable}
	var columns, asJSON, fresh, noBook bool
	cmd := &cobra.Command{
		Use:   "solve [POSITION...]",
		Short: "Tell what positions are worth, exactly",
		Long: `solve tells what positions of the standard board, 7x6, are worth when both sides
play perfectly. A position is written as the columns of its moves, 1 to 7 from
the left; - is the empty board. Positions are arguments, or lines of the standard
input. For each, one line:

  POSITION SCORE NODES MICROSECONDS

SCORE is above zero if the side to move wins: 1 with the very last disc, 2 with
its last but one, and so on; below zero if it loses likewise; 0 is a draw. NODES
is how many positions were looked at. --columns adds the score of a disc in each
column, - where it is full. Early positions are answered from an opening book.

A bad line is named on standard error, the others are answered all the same, and
the exit status is 1.`,
		Example: `  c4hat solve 4453                       what is it worth?
  c4hat solve --columns 4453             and each column?
  c4hat solve --columns --json - | jq    with the best moves, for programs
  c4hat solve --fresh --no-book < file   as solvers are compared`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			size := uint64(table.n) << 20
			if all := memory(); all != 0 && size > all {
				return usagef("--table %d: this machine has %d MiB of memory", table.n, all>>20)
			}
			c := calculator{
				columns: columns,
				json:    asJSON,
				fresh:   fresh,
				out:     cmd.OutOrStdout(),
				errs:    cmd.ErrOrStderr(),
			}
			o := solver.Options{Table: int(size), NoBook: noBook}
			if err := solver.CheckBook(); err != nil && !noBook {
				fmt.Fprintf(c.errs, "%v; going on without it\n", err)
			}
			if isTerminal(cmd.ErrOrStderr()) && usableTerminal() {
				o.Progress = c.progress
			}
			c.solver = solver.New(o)
			// The collector lets as much garbage pile up as there is live memory, and
			// takes the whole table for that.
			defer debug.SetGCPercent(debug.SetGCPercent(5))
			if len(args) > 0 {
				return c.arguments(cmd.Context(), args)
			}
			if in := cmd.InOrStdin(); isTerminal(in) {
				fmt.Fprintln(c.errs, "Type a position a line, such as 4453; Ctrl-D ends.")
			}
			return c.lines(cmd.Context(), cmd.InOrStdin())
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVar(&columns, "columns", false, "score every column too")
	f.BoolVar(&asJSON, "json", false, "print a JSON object a line")
	f.BoolVar(&fresh, "fresh", false, "forget everything between positions; the time that takes does not count")
	f.BoolVar(&noBook, "no-book", false, "search early positions too, instead of looking them up")
	f.Var(&table, "table", "`MiB` of memory for positions met before")
	return cmd
}

// mostTable is the largest table, in MiB: half of what a 32-bit program can
// hope for, and 4 GiB.
const mostTable = 512 << (^uint(0) >> 63 * 3)

// calculator answers positions, one after the other.
type calculator struct {
	columns, json, fresh bool

	solver *solver.Solver
	out    io.Writer
	errs   io.Writer
	line   []byte // written last
	bad    bool   // some position was none

	position string    // in work
	started  time.Time // on it
	shown    time.Time // when progress was
}

// errReported is an error that has been told already.
var errReported = errors.New("some of it failed")

func (c *calculator) arguments(ctx context.Context, args []string) error {
	for i, arg := range args {
		if err := c.answer(ctx, arg, fmt.Sprintf("argument %d", i+1)); err != nil {
			return err
		}
	}
	return c.end()
}

// lines answers the lines of the input as they come.
func (c *calculator) lines(ctx context.Context, in io.Reader) error {
	input := lines.Read(ctx, in)
	for n := 1; ; n++ {
		var l lines.Line
		select {
		case l = <-input:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		where := "line " + strconv.Itoa(n)
		var err error
		switch {
		case errors.Is(l.Err, io.EOF):
			return c.end()
		case l.Err != nil:
			return fmt.Errorf("standard input: %w", l.Err)
		case l.Cut:
			err = c.refuse(where, errTooLong)
		default:
			err = c.answer(ctx, l.Text, where)
		}
		if err != nil {
			return err
		}
	}
}

var errTooLong = errors.New("too long for a position")

func (c *calculator) end() error {
	if c.bad {
		return errReported
	}
	return nil
}

// answer solves a position and writes what it is worth; one that cannot be solved
// is named by where it stands. The error ends the command.
func (c *calculator) answer(ctx context.Context, text, where string) error {
	c.position = strings.TrimSpace(text)
	if c.position == "" {
		return nil
	}
	moves := c.position
	if moves == "-" {
		moves = ""
	}
	p, err := board.Parse(board.Standard, moves)
	if err != nil {
		return c.refuse(where, err)
	}
	if c.fresh {
		c.solver.Reset()
	}

	var a solver.Analysis
	c.started = time.Now()
	if c.columns {
		a, err = c.solver.Analyse(ctx, p)
	} else {
		a.Result, err = c.solver.Solve(ctx, p)
	}
	took := time.Since(c.started)
	if !c.shown.IsZero() {
		fmt.Fprint(c.errs, eraseLine)
		c.shown = time.Time{}
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return c.refuse(where, err)
	case c.json:
		return c.writeJSON(a, took)
	}
	return c.write(a, took)
}

func (c *calculator) refuse(where string, err error) error {
	c.bad = true
	reason := err.Error()
	if wrong := (*board.MoveError)(nil); errors.As(err, &wrong) {
		reason = fmt.Sprintf("move %d, %q: %s", wrong.Move, wrong.Rune, wrong.Reason())
	} else if errors.Is(err, solver.ErrOver) {
		reason = "the game is over: somebody has four in a line"
	}
	_, err = fmt.Fprintf(c.errs, "%s: %s\n", where, reason)
	return err
}

func (c *calculator) write(a solver.Analysis, took time.Duration) error {
	line := append(c.line[:0], c.position...)
	line = strconv.AppendInt(append(line, ' '), int64(a.Score), 10)
	line = strconv.AppendUint(append(line, ' '), a.Nodes, 10)
	line = strconv.AppendInt(append(line, ' '), took.Round(time.Microsecond).Microseconds(), 10)
	if c.columns {
		for column, score := range a.Columns {
			if a.Free[column] {
				line = strconv.AppendInt(append(line, ' '), int64(score), 10)
			} else {
				line = append(line, " -"...)
			}
		}
	}
	c.line = append(line, '\n')
	_, err := c.out.Write(c.line)
	return err
}

// solved is a position as JSON has it. Columns count from 1, as in positions.
type solved struct {
	Position     string  `json:"position"`
	Score        int     `json:"score"`
	Nodes        uint64  `json:"nodes"`
	Microseconds float64 `json:"microseconds"`
	*analysed
}

type analysed struct {
	Columns [7]*int `json:"columns"` // null where it is full
	Best    []int   `json:"best"`    // the best columns
	Line    string  `json:"line"`    // best moves of both sides to the game's end
}

func (c *calculator) writeJSON(a solver.Analysis, took time.Duration) error {
	s := solved{c.position, a.Score, a.Nodes, float64(took.Nanoseconds()) / 1000, nil}
	if c.columns {
		s.analysed = &analysed{Best: []int{}}
		for column := range a.Columns {
			if a.Free[column] {
				s.Columns[column] = &a.Columns[column]
			}
		}
		for _, column := range a.Best {
			s.Best = append(s.Best, column+1)
		}
		for _, column := range a.Line {
			s.Line += strconv.Itoa(column + 1)
		}
	}
	line, err := json.Marshal(s)
	if err == nil {
		_, err = c.out.Write(append(line, '\n'))
	}
	return err
}

// eraseLine goes back to the terminal line's begin and clears it.
const eraseLine = "\r\x1b[K"

// progress says on a terminal how far a position is that takes more than a
// second.
func (c *calculator) progress(p solver.Progress) {
	now := time.Now()
	if now.Sub(c.started) < time.Second || now.Sub(c.shown) < time.Second/5 {
		return
	}
	c.shown = now
	what := "score"
	if p.Column >= 0 {
		what = fmt.Sprintf("column %d", p.Column+1)
	}
	fmt.Fprintf(c.errs, "%s%s: %s %d to %d, %.0f million positions, %.0f s", eraseLine, c.position,
		what, p.Low, p.High, math.Round(float64(p.Nodes)/1e6), now.Sub(c.started).Seconds())
}
