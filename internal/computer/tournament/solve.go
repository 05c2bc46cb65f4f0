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
	Header  bool           // write a line with the names of the fields first, unless JSON
}

// Line is a line of a list.
type Line struct {
	Text  string
	Where string // its place, for messages: "line 3"
}

// Args yields the arguments of a command.
func Args(args []string) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		for i, arg := range args {
			if !yield(Line{strings.TrimSpace(arg), "c4hat: argument " + strconv.Itoa(i+1)}, nil) {
				return
			}
		}
	}
}

// Input yields the lines of the standard input, until it or the context ends.
func Input(ctx context.Context, in io.Reader) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
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
	if o.Header && !o.JSON {
		header := "POSITION SCORE NODES MICROSECONDS"
		for column := range o.Rules.Columns {
			if o.Columns {
				header += fmt.Sprint(" ", column+1)
			}
		}
		if _, err := fmt.Fprintln(out, header); err != nil {
			return err
		}
	}
	progress := cli.NewProgress(errs)
	worker := func() work[Line, answer] {
		var text string // of the position that is being solved
		var started time.Time
		o := o
		o.Solver.Progress = func(p solver.Progress) {
			what := "score"
			if p.Column >= 0 {
				what = fmt.Sprintf("column %d", p.Column+1)
			}
			if took := time.Since(started); took >= time.Second {
				progress.Show("%s: %s %d to %d, %.0f million positions, %.0f s", text, what, p.Low, p.High, float64(p.Nodes)/1e6, took.Seconds())
			}
		}
		s := solver.New(o.Solver)
		return func(ctx context.Context, l Line) (answer, error) {
			if l.Text == "" {
				return answer{}, nil
			}
			text, started = l.Text, time.Now()
			answered, err := o.solve(ctx, s, l.Text)
			if err != nil {
				return answer{refused: l.Where + ": " + reason(err)}, context.Cause(ctx)
			}
			return answer{text: answered + "\n"}, nil
		}
	}
	return writeAll(inOrder(ctx, o.Threads, positions, worker), out, errs, progress)
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
	took := time.Since(started)
	switch {
	case err != nil:
		return "", err
	case o.JSON:
		return o.object(text, a, took)
	}
	line := fmt.Sprintf("%s %d %d %d", text, a.Score, a.Nodes, took.Round(time.Microsecond).Microseconds())
	for column := range o.Rules.Columns {
		if o.Columns && a.Free[column] {
			line += fmt.Sprint(" ", a.Columns[column])
		} else if o.Columns {
			line += " -"
		}
	}
	return line, nil
}

// object returns an answer as JSON. Columns are numbered from 1.
func (o *SolveOptions) object(text string, a solver.Analysis, took time.Duration) (string, error) {
	var object struct {
		Position     string  `json:"position"`
		Score        int     `json:"score"`
		Nodes        uint64  `json:"nodes"`
		Microseconds float64 `json:"microseconds"`
		Columns      []*int  `json:"columns,omitzero"` // null for a full column
		Best         []int   `json:"best,omitzero"`
		Line         *string `json:"line,omitzero"` // the principal variation
	}
	object.Position, object.Score, object.Nodes, object.Microseconds = text, a.Score, a.Nodes, float64(took.Nanoseconds())/1000
	if o.Columns {
		object.Columns, object.Best, object.Line = make([]*int, o.Rules.Columns), []int{}, new(string)
		for column := range o.Rules.Columns {
			if a.Free[column] {
				object.Columns[column] = &a.Columns[column]
			}
		}
		for _, column := range a.Best {
			object.Best = append(object.Best, column+1)
		}
		for _, column := range a.Line {
			*object.Line += strconv.Itoa(column + 1)
		}
	}
	line, err := json.Marshal(object)
	return string(line), err
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
