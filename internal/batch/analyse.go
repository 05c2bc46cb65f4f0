package batch

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/analysis"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/words"
)

// Form is the form of reports.
type Form uint8

// The forms.
const (
	Table Form = iota
	JSON
	Sentences // for a screen reader: no table
)

// Analyse analyses games and writes the reports to out. For each game that it cannot analyse it
// writes a line to errs, and at the end it returns [cli.ErrReported]. Any other error comes from
// games or out, or is the context's cause.
func Analyse(ctx context.Context, games iter.Seq2[Game, error], out, errs io.Writer, form Form) error {
	progress := cli.NewProgress(errs)
	defer progress.Clear()
	doing := ""
	analyst := analysis.New(solver.Options{Progress: func(p solver.Progress) {
		progress.Show("%s, %.0f million positions", doing, float64(p.Nodes)/1e6)
	}})
	var result error
	before := cli.FillLines(words.Legend, out) + "\n\n"
	for g, err := range games {
		if err != nil {
			return err
		}
		doing = g.Name
		var r analysis.Report
		if err = g.Err; err == nil {
			r, err = analyst.Report(ctx, g.Game, g.Opening, func(d analysis.Disc) {
				doing = fmt.Sprintf("%s: disc %d", g.Name, d.Ply)
				progress.Show("%s", doing)
			})
		}
		progress.Clear()
		r.Fault = g.Fault
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			fmt.Fprintf(errs, "%s: %s\n", g.Name, Reason(err))
			result = cli.ErrReported
			continue
		case form == JSON:
			err = json.NewEncoder(out).Encode(r)
		case form == Sentences:
			_, err = fmt.Fprintf(out, "%s.\n", words.Sentence(g.Name))
		default:
			if _, err = fmt.Fprintf(out, "%s%s: %v\n", before, g.Name, r.Game); err == nil {
				err = r.Table(out)
			}
			before = "\n"
		}
		if form != JSON {
			for _, text := range r.Summary() {
				if form == Sentences {
					text = strings.TrimSuffix(words.Sentence(text), ".") + "."
				}
				if err == nil {
					_, err = fmt.Fprintln(out, cli.FillLines(text, out))
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return result
}
