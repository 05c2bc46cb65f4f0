package batch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
)

type worker struct {
	Options
	solver *solver.Solver
	show   func(format string, args ...any) // shows the progress
	first  *atomic.Pointer[job]             // the job whose answer is written next

	job     *job // being solved
	started time.Time
}

func newWorker(o Options, show func(string, ...any), first *atomic.Pointer[job]) *worker {
	w := &worker{Options: o, show: show, first: first}
	o.Solver.Progress = w.progress
	w.solver = solver.New(o.Solver)
	return w
}

// solve sets the answer of a job, or the reason why its position is refused. An error ends the
// batch.
func (w *worker) solve(ctx context.Context, q *job) error {
	w.job, q.answer, q.refused = q, q.answer[:0], ""
	if q.Cut {
		q.refused = "too long for a position"
		return nil
	}
	q.Text = strings.TrimSpace(q.Text)
	moves := q.Text
	switch moves {
	case "":
		return nil
	case "-":
		moves = ""
	}
	p, err := board.Parse(w.Rules, moves)
	if err != nil {
		q.refused = Reason(err)
		return nil
	}
	if w.Fresh {
		w.solver.Reset()
	}

	var a solver.Analysis
	w.started = time.Now()
	if w.Columns {
		a, err = w.solver.Analyse(ctx, p)
	} else {
		a.Result, err = w.solver.Solve(ctx, p)
	}
	took := time.Since(w.started)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		q.refused = Reason(err)
	case w.JSON:
		q.answer, err = w.writeJSON(q.answer, a, took)
		return err
	default:
		q.answer = w.write(q.answer, a, took)
	}
	return nil
}

// Reason says what is wrong with a position or a game.
func Reason(err error) string {
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

func (w *worker) write(line []byte, a solver.Analysis, took time.Duration) []byte {
	line = append(line, w.job.Text...)
	line = strconv.AppendInt(append(line, ' '), int64(a.Score), 10)
	line = strconv.AppendUint(append(line, ' '), a.Nodes, 10)
	line = strconv.AppendInt(append(line, ' '), took.Round(time.Microsecond).Microseconds(), 10)
	if w.Columns {
		for column, score := range a.Columns[:w.Rules.Columns] {
			if a.Free[column] {
				line = strconv.AppendInt(append(line, ' '), int64(score), 10)
			} else {
				line = append(line, " -"...)
			}
		}
	}
	return append(line, '\n')
}

// solved is an answer as JSON. Columns are numbered from 1.
type solved struct {
	Position     string  `json:"position"`
	Score        int     `json:"score"`
	Nodes        uint64  `json:"nodes"`
	Microseconds float64 `json:"microseconds"`
	*analysed
}

type analysed struct {
	Columns []*int `json:"columns"` // null for a full column
	Best    []int  `json:"best"`
	Line    string `json:"line"` // the principal variation
}

func (w *worker) writeJSON(line []byte, a solver.Analysis, took time.Duration) ([]byte, error) {
	s := solved{w.job.Text, a.Score, a.Nodes, float64(took.Nanoseconds()) / 1000, nil}
	if w.Columns {
		s.analysed = &analysed{Columns: make([]*int, w.Rules.Columns), Best: []int{}}
		for column := range s.Columns {
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

// progress shows the progress on the worker's position, if that takes more than a second and its
// answer is the next to be written.
func (w *worker) progress(p solver.Progress) {
	took := time.Since(w.started)
	if w.first.Load() != w.job || took < time.Second {
		return
	}
	what := "score"
	if p.Column >= 0 {
		what = fmt.Sprintf("column %d", p.Column+1)
	}
	w.show("%s: %s %d to %d, %.0f million positions, %.0f s",
		w.job.Text, what, p.Low, p.High, float64(p.Nodes)/1e6, took.Seconds())
}
