package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/solver"
)

// calculator answers positions, one after the other.
type calculator struct {
	columns, json, fresh bool

	solver *solver.Solver
	errs   io.Writer                 // for progress
	first  *atomic.Pointer[question] // the one whose answer comes next

	question *question // in work
	position string    // of it
	started  time.Time // on it
	shown    time.Time // when progress was
}

// solve answers a question: a line for the output, or what is wrong with the question.
// The error ends the command.
func (c *calculator) solve(ctx context.Context, q *question) error {
	c.question, q.line, q.refused = q, q.line[:0], ""
	if q.tooLong {
		q.refused = "too long for a position"
		return nil
	}
	c.position = strings.TrimSpace(q.text)
	if c.position == "" {
		return nil
	}
	moves := c.position
	if moves == "-" {
		moves = ""
	}
	p, err := board.Parse(board.Standard, moves)
	if err != nil {
		q.refused = reason(err)
		return nil
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
		q.refused = reason(err)
	case c.json:
		q.line, err = c.writeJSON(q.line, a, took)
		return err
	default:
		q.line = c.write(q.line, a, took)
	}
	return nil
}

// reason is what is wrong with a position.
func reason(err error) string {
	if wrong := (*board.MoveError)(nil); errors.As(err, &wrong) {
		return fmt.Sprintf("move %d, %q: %s", wrong.Move, wrong.Rune, wrong.Reason())
	}
	if errors.Is(err, solver.ErrOver) {
		return "the game is over: somebody has four in a line"
	}
	return err.Error()
}

// write appends a line of text.
func (c *calculator) write(line []byte, a solver.Analysis, took time.Duration) []byte {
	line = append(line, c.position...)
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
	return append(line, '\n')
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

// writeJSON appends a line of JSON.
func (c *calculator) writeJSON(line []byte, a solver.Analysis, took time.Duration) ([]byte, error) {
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
	object, err := json.Marshal(s)
	return append(append(line, object...), '\n'), err
}

// eraseLine goes back to the terminal line's begin and clears it.
const eraseLine = "\r\x1b[K"

// progress says on a terminal how far a position is that takes more than a second:
// the first that has no answer yet.
func (c *calculator) progress(p solver.Progress) {
	now := time.Now()
	if c.first.Load() != c.question {
		return
	}
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
