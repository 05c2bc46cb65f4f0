package tournament

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/command/cli"
)

// SolveOptions configure how positions are solved and what is written.
type SolveOptions struct {
	Rules   board.Rules
	Columns bool // also write the score of each column
	JSON    bool // write one object per line
	Fresh   bool // reset the solver before each position; the measured time excludes the reset

	Solver  solver.Options // of each thread
	Threads int            // positions solved in parallel, at least 1
}

// Line is a line of a list.
type Line struct {
	Text  string
	Where string // its place, for messages: "line 3"
}

// Lines yields the arguments of a command or, if there are none, the lines of its standard input, until that or the
// context ends.
func Lines(ctx context.Context, args []string, in io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		for i, arg := range args {
			if !yield(Line{strings.TrimSpace(arg), "c4hat: argument " + strconv.Itoa(i+1)}, nil) {
				return
			}
		}
		if len(args) > 0 {
			return
		}
		n := 0
		for text, err := range cli.Lines(ctx, in) {
			n++
			if !yield(Line{strings.TrimSpace(text), "line " + strconv.Itoa(n)}, err) {
				return
			}
		}
	}
}

// Solve writes the answers in the order of the positions, each as soon as possible. If errs is a
// terminal, it shows the progress there. A refused position gets a line on errs, and the error at the end is
// [cli.ErrReported]. Any other error is the input's, a writer's, or the context's cause.
func Solve(ctx context.Context, positions iter.Seq2[Line, error], out, errs io.Writer, o SolveOptions) error {
	progress := cli.NewProgress(errs)
	worker := func() work[Line, answer] {
		var text string // of the position that is being solved
		var started time.Time
		o := o
		o.Solver.Progress = func(p solver.Progress) {
			if took := time.Since(started); took >= time.Second {
				progress.Show("%s: %.0f million positions, %.0f s", text, float64(p.Nodes)/1e6, took.Seconds())
			}
		}
		s := solver.New(o.Solver)
		return func(ctx context.Context, l Line) (answer, error) {
			if l.Text == "" {
				return answer{}, nil
			}
			text, started = l.Text, time.Now()
			line, err := o.solve(ctx, s, l.Text)
			return answerOf(ctx, l.Where, line, err)
		}
	}
	return writeAll(inOrder(ctx, o.Threads, positions, worker), out, errs, progress)
}

// solved is the answer for a position. Columns are numbered from 1.
type solved struct {
	Position     string  `json:"position"`
	Score        int     `json:"score"`
	Nodes        uint64  `json:"nodes"`
	Microseconds float64 `json:"microseconds"`
	Columns      []*int  `json:"columns,omitzero"` // null for a full column
	Best         []int   `json:"best,omitzero"`
	Line         *string `json:"line,omitzero"` // the principal variation
}

// solve returns the line for a position.
func (o *SolveOptions) solve(ctx context.Context, s *solver.Solver, text string) (string, error) {
	moves := text
	if text == "-" {
		moves = ""
	}
	p, err := board.Parse(o.Rules, moves)
	if err != nil {
		return "", err
	}
	if o.Fresh {
		s.Reset()
	}
	started := time.Now()
	var a solver.Analysis
	if o.Columns {
		a, err = s.Analyse(ctx, p)
	} else {
		a.Result, err = s.Solve(ctx, p)
	}
	if err != nil {
		return "", err
	}
	answer := solved{Position: text, Score: a.Score, Nodes: a.Nodes, Microseconds: float64(time.Since(started).Nanoseconds()) / 1000}
	if o.Columns {
		answer.Columns, answer.Best, answer.Line = make([]*int, o.Rules.Columns), []int{}, new(string)
		for column := range o.Rules.Columns {
			if a.Free[column] {
				answer.Columns[column] = &a.Columns[column]
			}
		}
		for _, column := range a.Best {
			answer.Best = append(answer.Best, column+1)
		}
		for _, column := range a.Line {
			*answer.Line += strconv.Itoa(column + 1)
		}
	}
	if o.JSON {
		line, err := json.Marshal(answer)
		return string(line) + "\n", err
	}
	line := fmt.Sprintf("%s %d %d %.0f", text, answer.Score, answer.Nodes, answer.Microseconds)
	for _, score := range answer.Columns {
		if score == nil {
			line += " -"
		} else {
			line += fmt.Sprint(" ", *score)
		}
	}
	return line + "\n", nil
}

// reason says what is wrong with a position or a game.
func reason(err error) string {
	if wrong := (*board.MoveError)(nil); errors.As(err, &wrong) {
		return fmt.Sprintf("move %d, %q: %s", wrong.Move, wrong.Rune, wrong.Reason())
	}
	switch {
	case errors.Is(err, solver.ErrOver):
		return "the game is over: somebody has four in a line"
	case errors.Is(err, solver.ErrRules):
		return "only boards with four in a line can be solved"
	}
	return err.Error()
}
