package tournament

import (
	"cmp"
	_ "embed" // the page
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/c4hat/c4hat/board"
)

//go:embed page.html
var page string

// markup is HTML as it is written. A package for templates, with the reflection that it needs, would
// make the program a sixth larger.
type markup struct{ strings.Builder }

// put writes the format, which is HTML, with the values, whose strings are text.
func (m *markup) put(format string, values ...any) {
	for i, v := range values {
		if text, ok := v.(string); ok {
			values[i] = html.EscapeString(text)
		}
	}
	fmt.Fprintf(m, format, values...)
}

// WritePage writes the results as a page of HTML in one file, which loads nothing else: the ranking,
// the scores of all pairs and, if [Options.Keep] was set, the games.
func (r *Results) WritePage(out io.Writer) error {
	m := &markup{}
	before, after, _ := strings.Cut(page, "<!-- the results -->\n")
	m.WriteString(before)
	m.ranking(r)
	m.scores(r)
	m.put("<h2>Games</h2>\n<p class=\"unprinted\">Games that are open are printed too.</p>\n")
	for i, p := range r.Pairs {
		if p.Games > 0 {
			m.games(i, p)
		}
	}
	m.WriteString(after)
	_, err := io.WriteString(out, m.String())
	return err
}

func (m *markup) ranking(r *Results) {
	timed := slices.ContainsFunc(r.Players, func(s *Standing) bool { return s.player.isProgram() })
	m.put("<p>%d of %d games, %d players. A win is a point, a draw half a point. Random discs open the games, so that they differ.", r.Played, r.Games, len(r.Players))
	if r.solved {
		m.put(" <i>Kept</i>: the share of moves that were as good as the best: a win as soon, a loss as late. It is no measure of strength: in a lost position many moves are best.")
	}
	m.put(`</p>
<div class="wide" tabindex="0" role="region" aria-label="Ranking"><table class="rank">
<tr><td><th class="name">player<td><th>score<th>won<th>drawn<th>lost`)
	if r.solved {
		m.put("<th>kept")
	}
	if timed {
		m.put(`<th title="as it counts for the program">longest move<th>faults`)
	}
	for _, s := range r.Players {
		m.put("\n"+`<tr><td>%d<td class="name">%s<td class="bar"><i style="width:%.0f%%"></i><td>%s<td>%d<td>%d<td>%d`,
			s.Rank, s.Name, 100*s.Share, percent(s.Share, s.Games), s.Wins, s.Draws, s.Losses)
		if r.solved {
			m.put("<td>%s", s.keptPercent())
		}
		if timed {
			m.put("<td>%s<td>%d", span(s.Slowest), s.Faults)
		}
	}
	m.put("\n</table></div>\n")
	for _, s := range r.Players {
		if s.FirstFault != "" {
			m.put(`<p class="fault">%s</p>`+"\n", s.fault())
		}
	}
}

// scores writes the table of all pairs.
func (m *markup) scores(r *Results) {
	m.put(`<h2>Everybody against everybody</h2>
<p>The score of the row's player in percent. A number leads to the games.</p>
<div class="wide" tabindex="0" role="region" aria-label="Scores"><table class="cross">
<tr><td><td>`)
	for i, s := range r.Players {
		m.put(`<th class="n" title="%s">%d`, s.Name, i+1)
	}
	for i, a := range r.Players {
		m.put("\n"+`<tr><th>%d<th class="name">%s`, i+1, a.Name)
		for _, b := range r.Players {
			if share, games := r.against(a.Name, b.Name); games == 0 {
				m.put(`<td class="self">`)
			} else {
				m.put(`<td style="background:hsl(%d 70%% 50%% / .35)"><a href="#pair%d">%.0f</a>`, int(120*share), r.pair(a.Name, b.Name), 100*share)
			}
		}
	}
	m.put("\n</table></div>\n")
}

// games writes the games of a pair.
func (m *markup) games(i int, p *Pair) {
	points := func(wins int) string {
		text := fmt.Sprint(wins + p.Draws/2)
		if p.Draws%2 == 1 {
			text += "½"
		}
		return text
	}
	m.put(`<details class="pair" id="pair%d"><summary>%s %s : %s %s`, i, p.Players[0], points(p.Wins), points(p.Losses), p.Players[1])
	faults := 0
	for _, g := range p.List {
		if g.Fault != "" {
			faults++
		}
	}
	if faults > 0 {
		m.put(` <span class="fault">faults: %d</span>`, faults)
	}
	m.put("</summary>\n")
	for _, g := range p.List {
		m.game(g)
	}
	m.put("</details>\n")
}

func (m *markup) game(g *Game) {
	rules := g.fixture.opening.Position().Rules()
	played, _ := board.ParseGame(rules, board.Red, g.Moves)
	var line []int // cells, row by row from the top
	for i := range rules.Cells() {
		if played.Position().Lines().Has(i%rules.Columns, rules.Rows-1-i/rules.Columns) {
			line = append(line, i)
		}
	}
	m.put(`<details class="game" data-moves="%s" data-opening="%d" data-board="%s" data-line="%v"><summary>Game %d: %s (red) against %s (%s): %s`,
		g.Moves, len(g.Opening), cmp.Or(g.Board, "7x6"), line, g.Number, g.Red, g.Yellow, rules.Name(board.Yellow), g.ending())
	if g.Fault != "" {
		m.put(` <span class="fault">by a fault</span></summary>`+"\n"+`<p class="fault">%s</p>`, g.Fault)
	} else {
		m.put("</summary>\n")
	}
	if g.Wrote != "" {
		m.put("<pre>%s</pre>", g.Wrote)
	}
	if g.Why != "" {
		m.put("<p>%s</p>", g.Why)
	}
	m.put("<p>Moves: %s", g.Moves)
	if g.Opening != "" {
		m.put("; random: the first %d, with a dashed ring", len(g.Opening))
	}
	m.put("</p></details>\n")
}
