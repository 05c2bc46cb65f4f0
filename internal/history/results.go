package history

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/c4hat/c4hat/internal/store"
)

// LastMatches is how many matches the results list.
const LastMatches = 10

// Results count how matches ended.
type Results struct {
	Matches   int           `json:"matches"`
	Abandoned int           `json:"abandoned"`
	People    score         `json:"two_players"`
	Computer  []levelResult `json:"computer"`
	Last      []Match       `json:"last"`
}

type score struct {
	Red    int `json:"red"`
	Second int `json:"yellow"` // or blue
}

// levelResult counts the matches against a level of the computer.
type levelResult struct {
	Level int    `json:"level"`
	Name  string `json:"name"`
	Won   int    `json:"won"`
	Lost  int    `json:"lost"`
}

// NewResults returns empty results.
func NewResults() *Results { return &Results{Computer: []levelResult{}, Last: []Match{}} }

// Add counts a match.
func (s *Results) Add(e store.Entry) {
	s.Matches++
	if len(s.Last) == LastMatches {
		s.Last = append(s.Last[:0], s.Last[1:]...)
	}
	s.Last = append(s.Last, Match{s.Matches, e})
	winner := e.Final().Winner()
	switch {
	case winner == board.Empty:
		s.Abandoned++
	case e.Computer == board.Empty && winner == board.Red:
		s.People.Red++
	case e.Computer == board.Empty:
		s.People.Second++
	default:
		for len(s.Computer) < e.Level {
			level := levels.Level(len(s.Computer) + 1)
			s.Computer = append(s.Computer, levelResult{Level: int(level), Name: level.String()})
		}
		if at := &s.Computer[e.Level-1]; winner == e.Computer {
			at.Lost++
		} else {
			at.Won++
		}
	}
}

// Write writes the results for people; of says whose they are.
func (s *Results) Write(out io.Writer, of string) error {
	if s.Matches == 0 {
		_, err := fmt.Fprintf(out, "no matches so far (%s)\n", of)
		return err
	}
	w := tabwriter.NewWriter(out, 0, 8, 3, ' ', 0)
	fmt.Fprintf(w, "%s (%s)\n\n", counted(s.Matches, "match", "matches"), of)
	if s.People != (score{}) {
		fmt.Fprintf(w, "two players\tred won %d\tyellow or blue %d\n", s.People.Red, s.People.Second)
	}
	for _, l := range s.Computer {
		if l.Won+l.Lost > 0 {
			fmt.Fprintf(w, "computer, level %d (%s)\tyou won %d\tit won %d\n", l.Level, l.Name, l.Won, l.Lost)
		}
	}
	if s.Abandoned > 0 {
		fmt.Fprintf(w, "given up\t%d\n", s.Abandoned)
	}
	fmt.Fprintf(w, "\nthe last ones; c4hat replay N replays one:\n")
	for _, n := range s.Last {
		fmt.Fprintf(w, "%4d\t%s\t%s\t%s\n", n.Number, Ended(n.Match), Opponents(n.Match), ResultText(n.Match))
	}
	return w.Flush()
}

// counted is a number with its noun.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
