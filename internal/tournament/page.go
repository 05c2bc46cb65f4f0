package tournament

import (
	_ "embed" // the page
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"

	"github.com/c4hat/c4hat/board"
)

//go:embed page.html
var page string

// WritePage writes the results as a page of HTML in one file, which loads nothing else: the ranking,
// the scores of all pairs and, if [Options.Keep] was set, the games.
func (r *Results) WritePage(out io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"inc": func(i int) int { return i + 1 }, "percent": percent, "span": span, "cross": (*Results).cross,
		"width": func(share float64) int { return int(math.Round(100 * share)) },
		"kept":  (*Standing).keptPercent,
		"points": func(wins, draws int) string {
			text := fmt.Sprint(wins + draws/2)
			if draws%2 == 1 {
				text += "½"
			}
			return text
		},
		"faults": func(p *Pair) (n int) {
			for _, g := range p.List {
				if g.Fault != "" {
					n++
				}
			}
			return n
		},
		"second": func(g *Game) string { return g.fixture.opening.Position().Rules().Name(board.Yellow) },
		"result": func(g *Game) string {
			switch g.winner() {
			case board.Red:
				return g.Red + " wins"
			case board.Yellow:
				return g.Yellow + " wins"
			}
			return "a draw"
		},
	}).Parse(page)
	if err != nil {
		return err
	}
	timed := slices.ContainsFunc(r.Players, func(s *Standing) bool { return s.player.isProgram() })
	return t.Execute(out, struct {
		*Results
		Solved, Timed bool
	}{r, r.solved, timed})
}

// crossing is a cell of the table of all pairs.
type crossing struct {
	Hue      int
	ID, Text string
}

// cross returns the cell for the score of a against b, or nil if they have not played.
func (r *Results) cross(a, b string) *crossing {
	share, games := r.against(a, b)
	if games == 0 {
		return nil
	}
	return &crossing{int(120 * share), fmt.Sprint("pair", r.pair(a, b)), fmt.Sprint(math.Round(100 * share))}
}
