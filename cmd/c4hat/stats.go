package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/spf13/cobra"
)

// lastMatches is how many matches stats lists.
const lastMatches = 10

func newStats() *cobra.Command {
	var p settings.Places
	asJSON := false
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Show the results so far",
		Long: `Show the results so far: how often who has won, and the last ` + fmt.Sprint(lastMatches) + ` matches.

They are the running daemon's; without one, those of the matches you have played
by yourself. --state reads those of a folder.`,
		Example: `  c4hat stats
  c4hat stats --json | jq .matches          how many there are
  sudo c4hat stats --state /var/lib/c4hat   those of a service that is stopped`,
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := p.Read(cmd.Flags()); err != nil {
				return err
			}
			h, err := findHistory(cmd, &p)
			if err != nil {
				return err
			}
			s := stats{Computer: []levelWon{}, Last: []numbered{}}
			for e, err := range h.entries {
				if err != nil {
					return err
				}
				s.add(e)
			}
			if asJSON {
				return cli.WriteJSON(cmd.OutOrStdout(), s)
			}
			return s.write(cmd.OutOrStdout(), h.of)
		},
	}
	cmd.Flags().SortFlags = false
	cmd.Flags().BoolVar(&asJSON, "json", false, "as an object, for programs")
	p.Add(cmd.Flags())
	return cmd
}

// stats are the results so far.
type stats struct {
	Matches   int        `json:"matches"`
	Abandoned int        `json:"abandoned"`
	People    score      `json:"two_players"`
	Computer  []levelWon `json:"computer"`
	Last      []numbered `json:"last"`
}

type score struct {
	Red    int `json:"red"`
	Second int `json:"yellow"` // or blue
}

// levelWon are the matches against the computer at a level.
type levelWon struct {
	Level int    `json:"level"`
	Name  string `json:"name"`
	Won   int    `json:"won"`
	Lost  int    `json:"lost"`
}

// numbered is a match with its number, counted from 1 for the oldest.
type numbered struct {
	Number int         `json:"number"`
	Match  store.Entry `json:"match"`
}

func (s *stats) add(e store.Entry) {
	s.Matches++
	if len(s.Last) == lastMatches {
		s.Last = append(s.Last[:0], s.Last[1:]...)
	}
	s.Last = append(s.Last, numbered{s.Matches, e})
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
			s.Computer = append(s.Computer, levelWon{Level: int(level), Name: level.String()})
		}
		if at := &s.Computer[e.Level-1]; winner == e.Computer {
			at.Lost++
		} else {
			at.Won++
		}
	}
}

func (s *stats) write(out io.Writer, of string) error {
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
	fmt.Fprintf(w, "\nthe last ones; c4hat replay N plays one again:\n")
	for _, n := range s.Last {
		fmt.Fprintf(w, "%4d\t%s\t%s\t%s\n", n.Number, ended(n.Match), opponents(n.Match), resultText(n.Match))
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

// ended is when a match ended, in the time of the place; a dash where nobody knew.
func ended(e store.Entry) string {
	if e.Ended.IsZero() {
		return "-"
	}
	return e.Ended.In(time.Local).Format("2006-01-02 15:04")
}

// opponents are who played, and on which board.
func opponents(e store.Entry) string {
	rules := e.Match.Rules()
	if e.Computer == board.Empty {
		return fmt.Sprintf("%v, two players", rules)
	}
	return fmt.Sprintf("%v, computer (%s) at level %d", rules, rules.Name(e.Computer), e.Level)
}

// resultText tells how a match ended.
func resultText(e store.Entry) string {
	final := e.Final()
	text := game.MatchText(final)
	if text == "" {
		return "given up at " + game.PointsText(final)
	}
	if person := game.PersonText(final, e.Computer); person != "" {
		return fmt.Sprintf("%s (%s)", text, person)
	}
	return text
}
