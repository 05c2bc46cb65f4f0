package tournament

import (
	"cmp"
	_ "embed" // the page
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/cli"
)

// Results are the results of a tournament so far, the best player first.
type Results struct {
	Players []*Standing `json:"players"`
	Pairs   []*Pair     `json:"pairs"`

	Games  int `json:"games"` // in the whole tournament
	Played int `json:"played"`

	list []*Game
}

// Score counts a player's wins, draws and losses. A draw counts as half a win.
type Score struct {
	Games    int         `json:"games"`
	Differ   int         `json:"different"` // games, without those that repeat an earlier game
	Wins     int         `json:"wins"`
	Draws    int         `json:"draws"`
	Losses   int         `json:"losses"`
	Share    float64     `json:"score"`    // (wins + draws / 2) / games
	Interval *[2]float64 `json:"interval"` // of the share at 95 % confidence, from the games that differ; nil without games
}

// Standing is a player's result.
type Standing struct {
	Rank    int    `json:"rank"` // players with the same score have the same
	Name    string `json:"name"`
	Program bool   `json:"program"`
	Score
	Kept    *float64 `json:"kept"`      // the share of moves that kept the position's score; nil if that is unknown
	Median  float64  `json:"median_ms"` // of what a program's moves took
	Slowest float64  `json:"slowest_ms"`
	Faults  int      `json:"faults"`

	FirstFault string `json:"first_fault,omitempty"` // the error in the first game with a fault
}

// Pair is the result of one player against another, counted for the first.
type Pair struct {
	Players [2]string `json:"players"`
	Score
}

// tally counts the games of a tournament.
func tally(o *Options, games []*Game) *Results {
	r := &Results{Players: []*Standing{}, Pairs: []*Pair{}, Played: len(games), list: games}
	pairs, seen := map[key]*Pair{}, map[[3]string]bool{}
	for _, p := range o.pairs() {
		pair := &Pair{Players: [2]string{p[0].Name, p[1].Name}}
		r.Pairs, pairs[keyOf(pair.Players[0], pair.Players[1], 0)] = append(r.Pairs, pair), pair
	}
	r.Games = len(r.Pairs) * o.Games
	sides := map[string][]side{}
	for _, g := range games {
		id := [3]string{g.Red, g.Yellow, g.Moves}
		for i, name := range [2]string{g.Red, g.Yellow} {
			s := side{g, i, !seen[id]}
			sides[name] = append(sides[name], s)
			if pair := pairs[keyOf(g.Red, g.Yellow, 0)]; pair.Players[0] == name {
				pair.count(s)
			}
		}
		seen[id] = true
	}
	for _, p := range o.Players {
		r.Players = append(r.Players, standing(p, sides[p.Name]))
	}
	slices.SortStableFunc(r.Players, func(a, b *Standing) int { return cmp.Compare(b.Share, a.Share) })
	for i, s := range r.Players {
		if s.Rank = i + 1; i > 0 && s.Share == r.Players[i-1].Share {
			s.Rank = r.Players[i-1].Rank
		}
	}
	return r
}

// side is a game as one of its players sees it.
type side struct {
	*Game
	of      int  // 0: red, 1: yellow
	differs bool // no earlier game was the same
}

// standing counts the games of a player.
func standing(p *Player, games []side) *Standing {
	s := &Standing{Name: p.Name, Program: p.isProgram()}
	var took []float64
	kept, judged := 0, 0
	for _, g := range games {
		s.count(g)
		if g.Took != nil {
			took = append(took, g.Took[g.of]...)
		}
		if g.Kept != nil {
			kept += g.Kept[g.of]
			judged += cmp.Or(g.Judged, &[2]int{(len(g.Moves)+1)/2 - (len(g.Opening)+1)/2, len(g.Moves)/2 - len(g.Opening)/2})[g.of]
		}
		if g.Fault != "" && g.winner() != discs[g.of] {
			s.Faults++
			s.FirstFault = cmp.Or(s.FirstFault, g.Fault)
		}
	}
	if judged > 0 {
		s.Kept = new(float64(kept) / float64(judged))
	}
	if n := len(took); n > 0 {
		slices.Sort(took)
		s.Median, s.Slowest = took[n/2], took[n-1]
	}
	return s
}

// count counts a game, and updates the share and its interval.
func (s *Score) count(g side) {
	s.Games++
	if g.differs {
		s.Differ++
	}
	switch g.winner() {
	case board.Empty:
		s.Draws++
	case discs[g.of]:
		s.Wins++
	default:
		s.Losses++
	}
	s.share()
}

// share computes the share and Wilson's score interval for it, with a draw as half a success.
// Unlike the normal approximation, this interval is also right for shares near 0 and 1. A game that
// repeats another says nothing new, so the interval is as wide as if it had not been played.
func (s *Score) share() {
	const z = 1.959964 // 95 % of the normal distribution is within ±z
	n := float64(s.Differ)
	p := (float64(s.Wins) + float64(s.Draws)/2) / float64(s.Games)
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	s.Share = p
	s.Interval = &[2]float64{round(max(middle-half, 0)), round(min(middle+half, 1))}
}

// round hides the error of a computation.
func round(x float64) float64 { return math.Round(x*1e9) / 1e9 }

// against returns one player's score against another, and whether they have played.
func (r *Results) against(a, b string) (share float64, played bool) {
	for _, p := range r.Pairs {
		switch p.Players {
		case [2]string{a, b}:
			return p.Share, p.Games > 0
		case [2]string{b, a}:
			return 1 - p.Share, p.Games > 0
		}
	}
	return 0, false
}

// Write writes the results as tables: the times and faults if a program played; with more than two
// players, each player's score against every other player, if that fits a terminal; and last, so that
// it stays on the screen, the ranking. For a tournament of levels it writes no times, because they
// differ from run to run, and say more about the machine than about the levels.
func (r *Results) Write(out io.Writer) error {
	ranking := [][]string{{"player", "games", "won", "drawn", "lost", "score", "95 %", "kept"}}
	times := [][]string{{"time of a move", "median", "longest", "faults"}}
	pairs := [][]string{{"score against, %"}}
	differ, solved := 0, false
	for _, p := range r.Pairs {
		differ += p.Differ
	}
	digits := len(strconv.Itoa(len(r.Players)))
	for i, s := range r.Players {
		numbered := func(n int) string { return fmt.Sprintf("%*d %s", digits, n, cli.Shorten(s.Name, 20)) }
		share, interval, kept := "-", "-", "-"
		if s.Games > 0 {
			share, interval = percent(s.Share), fmt.Sprintf("%.1f-%.1f", 100*s.Interval[0], 100*s.Interval[1])
		}
		if s.Kept != nil {
			solved, kept = true, percent(*s.Kept)
		}
		ranking = append(ranking, slices.Concat([]string{numbered(s.Rank)}, s.counts(), []string{share, interval, kept}))
		if s.Program {
			times = append(times, []string{numbered(i + 1), span(s.Median), span(s.Slowest), strconv.Itoa(s.Faults)})
		}
		pairs[0] = append(pairs[0], strconv.Itoa(i+1)) // names a column: players with the same score share a rank
		row := []string{numbered(i + 1)}
		for _, other := range r.Players {
			share, played := r.against(s.Name, other.Name)
			row = append(row, known(played, math.Round(100*share), "-"))
		}
		pairs = append(pairs, row)
	}
	if !solved {
		for i, row := range ranking {
			ranking[i] = row[:len(row)-1]
		}
	}
	text := table(ranking)
	if against := table(pairs); len(r.Players) > 2 && strings.IndexByte(against, '\n') <= 80 {
		text = against + "\n" + text
	}
	if len(times) > 1 {
		text = table(times) + "\n" + text
	}
	if differ < r.Played {
		text += fmt.Sprintf("\n%d of the %d games differ, and the intervals count only those: more --opening-plies make more\ngames differ.\n", differ, r.Played)
	}
	_, err := io.WriteString(out, text)
	return err
}

// WriteCSV writes the ranking for a spreadsheet, with the score against each player.
func (r *Results) WriteCSV(out io.Writer) error {
	rows := [][]string{{"rank", "player", "games", "won", "drawn", "lost", "score", "low", "high", "kept", "median_ms", "slowest_ms", "faults", "first_fault"}}
	for _, s := range r.Players {
		rows[0] = append(rows[0], "against "+s.Name)
		interval, kept := cmp.Or(s.Interval, new([2]float64)), cmp.Or(s.Kept, new(float64))
		row := slices.Concat([]string{strconv.Itoa(s.Rank), cell(s.Name)}, s.counts(), []string{
			known(s.Games > 0, s.Share, ""), known(s.Games > 0, interval[0], ""), known(s.Games > 0, interval[1], ""), known(s.Kept != nil, *kept, ""),
			known(s.Program, s.Median, ""), known(s.Program, s.Slowest, ""), strconv.Itoa(s.Faults), cell(s.FirstFault),
		})
		for _, other := range r.Players {
			share, played := r.against(s.Name, other.Name)
			row = append(row, known(played, share, ""))
		}
		rows = append(rows, row)
	}
	return csv.NewWriter(out).WriteAll(rows)
}

//go:embed page.html
var page string

// WritePage writes the results as a page of HTML in one file, which loads nothing else: the ranking,
// the scores of all pairs, and the games. The page's script lays them out.
func (r *Results) WritePage(out io.Writer) error {
	data, err := json.Marshal(struct {
		*Results
		List []*Game `json:"list"`
	}{r, r.list}) // as in HTML, it escapes <, > and &
	if err == nil {
		_, err = io.WriteString(out, strings.Replace(page, "RESULTS", string(data), 1))
	}
	return err
}

// counts returns the cells that all tables have.
func (s *Score) counts() []string {
	return []string{strconv.Itoa(s.Games), strconv.Itoa(s.Wins), strconv.Itoa(s.Draws), strconv.Itoa(s.Losses)}
}

// known returns a number as text, or what stands for one that is not known.
func known(is bool, x float64, other string) string {
	if !is {
		return other
	}
	return strconv.FormatFloat(round(x), 'f', -1, 64)
}

// cell returns a text that a spreadsheet does not take for a formula.
func cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@", rune(text[0])) {
		return "'" + text
	}
	return text
}

// table lays out rows, with the first column on the left and the others on the right.
func table(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var text strings.Builder
	for _, row := range rows {
		fmt.Fprintf(&text, "%-*s", widths[0], row[0])
		for i, cell := range row[1:] {
			fmt.Fprintf(&text, "  %*s", widths[i+1], cell)
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// percent returns a share as text, to a tenth of a percent. A share is never rounded to 0 % or 100 %.
func percent(share float64) string {
	if share == 0 || share == 1 {
		return fmt.Sprintf("%.0f %%", 100*share)
	}
	return fmt.Sprintf("%.1f %%", min(max(100*share, 0.1), 99.9))
}

// span returns a time in milliseconds as text, in a suitable unit.
func span(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	switch {
	case d == 0: // no move of the player's counted
		return "-"
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
