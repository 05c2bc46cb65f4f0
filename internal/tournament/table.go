package tournament

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// Write writes the results as tables: the standings; the times and faults if a program played; and
// with more than two players, each player's score against every other player. For a tournament of
// levels it writes no times, because they differ from run to run, and say more about the machine
// than about the levels.
func (r *Results) Write(out io.Writer) error {
	standings := [][]string{{"player", "games", "won", "drawn", "lost", "score", "95 %"}}
	times := [][]string{{"time of a move", "median", "longest", "faults"}}
	pairs := [][]string{{"score against"}}
	if r.solved {
		standings[0] = append(standings[0], "kept")
	}
	timed := false
	for i, s := range r.Players {
		row := []string{s.Name, fmt.Sprint(s.Games), fmt.Sprint(s.Wins), fmt.Sprint(s.Draws), fmt.Sprint(s.Losses), percent(s.Share, s.Games), interval(s.Interval)}
		if r.solved {
			row = append(row, percent(float64(s.kept)/float64(s.moves), s.moves))
		}
		standings = append(standings, row)
		times = append(times, []string{s.Name, span(s.Median), span(s.Slowest), fmt.Sprint(s.Faults)})
		timed = timed || s.player.isProgram()
		pairs[0] = append(pairs[0], fmt.Sprint(i+1))
		row = []string{fmt.Sprintf("%d %s", i+1, s.Name)}
		for _, other := range r.Players {
			row = append(row, r.against(s.Name, other.Name))
		}
		pairs = append(pairs, row)
	}
	text := table(standings)
	differ := 0
	for _, p := range r.Pairs {
		differ += p.Differ
	}
	if differ < r.played {
		text += fmt.Sprintf("\n%d of the %d games differ, and the intervals count only those: more --opening-plies make more\ngames differ.\n", differ, r.played)
	}
	if timed {
		text += "\n" + table(times)
	}
	if len(r.Players) > 2 {
		text += "\n" + table(pairs)
	}
	_, err := io.WriteString(out, text)
	return err
}

// against returns one player's score against another, as a cell of the table.
func (r *Results) against(a, b string) string {
	for _, p := range r.Pairs {
		switch p.Players {
		case [2]string{a, b}:
			return percent(p.Share, p.Games)
		case [2]string{b, a}:
			return percent(1-p.Share, p.Games)
		}
	}
	return "-"
}

// table lays out rows, with the first column aligned to the left and the others to the right.
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

// percent returns a share of n games as text, to a tenth of a percent. A share is never rounded to
// 0 % or 100 %.
func percent(share float64, n int) string {
	if n == 0 {
		return "-"
	}
	tenths := int(1000*share + 0.5)
	if share > 0 && share < 1 {
		tenths = min(max(tenths, 1), 999)
	}
	if tenths%1000 == 0 {
		return fmt.Sprintf("%d %%", tenths/10)
	}
	return fmt.Sprintf("%d.%d %%", tenths/10, tenths%10)
}

func interval(i *[2]float64) string {
	if i == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f-%.1f", 100*i[0], 100*i[1])
}

// span returns a time in milliseconds as text, in a suitable unit.
func span(ms float64) string {
	d := time.Duration(ms * float64(time.Millisecond))
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
