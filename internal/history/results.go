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

// Results are the totals of a history and its last matches.
type Results struct {
	match.Totals
	Last []Match `json:"last"`
	of   History
}

// Results counts all matches.
func (h History) Results() Results {
	r := Results{Last: append([]Match{}, h.Matches[max(0, len(h.Matches)-LastMatches):]...), of: h}
	r.Computer = []match.LevelTotals{} // in JSON a list, not null
	for _, m := range h.Matches {
		r.Totals.Add(m.Match)
	}
	r.Damaged = len(h.Damaged)
	return r
}

// Write writes the results as text.
func (s Results) Write(out io.Writer) error {
	if s.Matches+s.Damaged == 0 {
		_, err := fmt.Fprintf(out, "no matches so far (%s)\n", s.of.Of)
		return err
	}
	w := tabwriter.NewWriter(out, 0, 8, 3, ' ', 0)
	noun := "matches"
	if s.Matches == 1 {
		noun = "match"
	}
	fmt.Fprintf(w, "%d %s (%s)\n\n", s.Matches, noun, s.of.Of)
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
		fmt.Fprintf(w, "damaged, not counted\t%d\tthe latest is number %d\n", s.Damaged, s.of.Damaged[s.Damaged-1].Number)
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
