package history

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/words"
)

// LastMatches is how many matches the results list.
const LastMatches = 10

type Results struct {
	match.Totals
	Last    []Match `json:"last"`
	damaged []int   // the numbers of the damaged matches whose lines are left
	of      string  // History.Of
}

// Results counts all matches.
func (h History) Results() (Results, error) {
	r := Results{Last: []Match{}, of: h.Of}
	r.Computer = []match.LevelTotals{} // in JSON a list, not null
	for m, err := range h.all() {
		if err != nil {
			return r, err
		}
		if m.damage != nil {
			r.Damaged++
			r.damaged = append(r.damaged, m.Number)
			continue
		}
		r.Totals.Add(m.Match)
		r.Last = append(r.Last[max(len(r.Last)+1-LastMatches, 0):], m)
	}
	return r, nil
}

// Write writes the results as text.
func (s Results) Write(out io.Writer) error {
	if s.Matches+s.Damaged == 0 {
		_, err := fmt.Fprintf(out, "no matches so far (%s)\n", s.of)
		return err
	}
	w := tabwriter.NewWriter(out, 0, 8, 3, ' ', 0)
	noun := "matches"
	if s.Matches == 1 {
		noun = "match"
	}
	fmt.Fprintf(w, "%d %s (%s)\n\n", s.Matches, noun, s.of)
	if s.People != (match.Wins{}) {
		fmt.Fprintf(w, "two players\tred won %d\tyellow or blue %d\n", s.People.Red, s.People.Second)
	}
	for _, l := range s.Computer {
		if l.Won+l.Lost > 0 {
			fmt.Fprintf(w, "computer, level %v\tyou won %d\tcomputer won %d\n", l.Level, l.Won, l.Lost)
		}
	}
	if s.Programs > 0 {
		fmt.Fprintf(w, "with a program\t%d\n", s.Programs)
	}
	if s.Abandoned > 0 {
		fmt.Fprintf(w, "given up\t%d\n", s.Abandoned)
	}
	if s.Damaged > 0 {
		fmt.Fprintf(w, "damaged, not counted\t%d", s.Damaged)
		if n := len(s.damaged); n > 0 {
			fmt.Fprintf(w, "\tthe latest is number %d", s.damaged[n-1])
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "\nthe latest matches (c4hat replay N replays number N):\n")
	players, result := 0, 0 // widths
	for _, n := range s.Last {
		players, result = max(players, len(words.Players(n.Match.Record))), max(result, len(words.Result(n.Match.Record)))
	}
	between := "\t"
	if len("   1   2000-12-31 23:59   ")+players+len("   ")+result > 80 {
		between = "\n\t\t"
	}
	for _, n := range s.Last {
		ended := "-"
		if t := n.Match.Ended; !t.IsZero() {
			ended = t.In(time.Local).Format("2006-01-02 15:04")
		}
		fmt.Fprintf(w, "%4d\t%s\t%s%s%s\n", n.Number, ended, words.Players(n.Match.Record), between, words.Result(n.Match.Record))
	}
	return w.Flush()
}
