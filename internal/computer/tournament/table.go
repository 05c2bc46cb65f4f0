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

	"github.com/c4hat/c4hat/internal/command/cli"
)

// Write writes the results as tables: the times and faults if a program played; with more than two
// players, each player's score against every other player, if that fits a terminal; and last, so that
// it stays on the screen, the ranking. For a tournament of levels it writes no times, because they
// differ from run to run, and say more about the machine than about the levels.
func (r *Results) Write(out io.Writer) error {
	ranking := [][]string{{"player", "", "games", "won", "drawn", "lost", "score", "95 %", "kept"}}
	times := [][]string{{"time of a move", "", "median", "longest", "faults"}}
	pairs := [][]string{{"score against, %", ""}}
	differ := 0
	for _, p := range r.Pairs {
		differ += p.Differ
	}
	for i, s := range r.Players {
		number, name := fmt.Sprint(i+1), cli.Shorten(s.Name, 20) // names a column: players with the same score share a rank
		interval := "-"
		if s.Interval != nil {
			interval = fmt.Sprintf("%.1f-%.1f", 100*s.Interval[0], 100*s.Interval[1])
		}
		ranking = append(ranking, append([]string{fmt.Sprint(s.Rank), name}, append(s.counts(), percent(s.Share, s.Games), interval, percent(float64(s.kept)/float64(s.judged), s.judged))...))
		if s.Program {
			times = append(times, []string{number, name, span(s.Median), span(s.Slowest), fmt.Sprint(s.Faults)})
		}
		pairs[0] = append(pairs[0], number)
		row := []string{number, name}
		for _, other := range r.Players {
			row = append(row, "-")
			if share, games := r.against(s.Name, other.Name); games > 0 {
				row[len(row)-1] = fmt.Sprint(math.Round(100 * share))
			}
		}
		pairs = append(pairs, row)
	}
	if !r.solved {
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
	number := func(known bool, x float64) string {
		if !known {
			return ""
		}
		return strconv.FormatFloat(round(x), 'f', -1, 64)
	}
	for _, s := range r.Players {
		rows[0] = append(rows[0], "against "+s.Name)
		interval, kept := cmp.Or(s.Interval, new([2]float64)), cmp.Or(s.Kept, new(float64))
		row := slices.Concat([]string{fmt.Sprint(s.Rank), cell(s.Name)}, s.counts(), []string{
			number(s.Games > 0, s.Share), number(s.Games > 0, interval[0]), number(s.Games > 0, interval[1]), number(s.Kept != nil, *kept),
			number(s.Program, s.Median), number(s.Program, s.Slowest), fmt.Sprint(s.Faults), cell(s.FirstFault)})
		for _, other := range r.Players {
			share, games := r.against(s.Name, other.Name)
			row = append(row, number(games > 0, share))
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
	return []string{fmt.Sprint(s.Games), fmt.Sprint(s.Wins), fmt.Sprint(s.Draws), fmt.Sprint(s.Losses)}
}

// cell returns a text that a spreadsheet does not take for a formula.
func cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@", rune(text[0])) {
		return "'" + text
	}
	return text
}

// table lays out rows. The first two columns are a number and a name; the heading begins above both.
func table(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for n, row := range rows {
		for i, cell := range row {
			if n > 0 || i > 1 {
				widths[i] = max(widths[i], utf8.RuneCountInString(cell))
			}
		}
	}
	widths[1] = max(widths[1], utf8.RuneCountInString(rows[0][0])-widths[0]-1)
	var text strings.Builder
	for n, row := range rows {
		if n == 0 {
			fmt.Fprintf(&text, "%-*s", widths[0]+1+widths[1], row[0])
		} else {
			fmt.Fprintf(&text, "%*s %-*s", widths[0], row[0], widths[1], row[1])
		}
		for i, cell := range row[2:] {
			fmt.Fprintf(&text, "  %*s", widths[i+2], cell)
		}
		text.WriteByte('\n')
	}
	return text.String()
}

// percent returns a share of n games as text, to a tenth of a percent. A share is never rounded to
// 0 % or 100 %.
func percent(share float64, n int) string {
	switch {
	case n == 0:
		return "-"
	case share == 0 || share == 1:
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
