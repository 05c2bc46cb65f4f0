package history

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/c4hat/c4hat/internal/store"
)

// LastMatches is how many matches the results list.
const LastMatches = 10

type Results struct {
	store.Totals
	Last []Match `json:"last"`
}

// NewResults returns results that begin with the matches that a history no longer has.
func NewResults(dropped store.Totals) *Results {
	r := &Results{Totals: dropped, Last: []Match{}}
	if r.Computer == nil {
		r.Computer = []store.LevelTotals{} // a list in JSON, not null
	}
	return r
}

func (s *Results) Add(e store.Entry) {
	s.Totals.Add(e)
	if len(s.Last) == LastMatches {
		s.Last = append(s.Last[:0], s.Last[1:]...)
	}
	s.Last = append(s.Last, Match{s.Matches, e})
}

// Write writes the results for people; of says which history they are from.
func (s *Results) Write(out io.Writer, of string) error {
	if s.Matches == 0 {
		_, err := fmt.Fprintf(out, "no matches so far (%s)\n", of)
		return err
	}
	w := tabwriter.NewWriter(out, 0, 8, 3, ' ', 0)
	fmt.Fprintf(w, "%s (%s)\n\n", counted(s.Matches, "match", "matches"), of)
	if s.People != (store.Wins{}) {
		fmt.Fprintf(w, "two players\tred won %d\tyellow or blue %d\n", s.People.Red, s.People.Second)
	}
	for _, l := range s.Computer {
		if l.Won+l.Lost > 0 {
			fmt.Fprintf(w, "computer, level %v\tyou won %d\tit won %d\n", l.Level, l.Won, l.Lost)
		}
	}
	if s.Abandoned > 0 {
		fmt.Fprintf(w, "given up\t%d\n", s.Abandoned)
	}
	fmt.Fprintf(w, "\nthe latest matches; c4hat replay N replays one:\n")
	for _, n := range s.Last {
		fmt.Fprintf(w, "%4d\t%s\t%s\t%s\n", n.Number, Ended(n.Match), Opponents(n.Match), ResultText(n.Match))
	}
	return w.Flush()
}

// counted returns a number with its noun: "1 match", "2 matches".
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
