package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/computer/tournament"
	"github.com/c4hat/c4hat/internal/front/console"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/spf13/cobra"
)

// history has the finished matches, the oldest first.
type history struct {
	matches []numbered
	of      string       // where the matches are, as in "of the service"
	left    match.Record // a match in the folder that is not over; its ID may be empty
}

// numbered is a finished match with its number; the oldest match is number 1.
type numbered struct {
	Number int            `json:"number"`
	Match  match.Finished `json:"match"`
	err    error          // why it cannot be read
}

// findHistory reads the configuration, then the history in the folder s.State or, if that is empty, the service's
// or, if the service is not running, the one in the user's own folder.
func findHistory(cmd *cobra.Command, s *settings.Settings) (h history, err error) {
	if err := s.Read(cmd.Flags()); err != nil {
		return h, err
	}
	if s.State == "" {
		past, err := socket.Dial(s.Socket).Past(cmd.Context(), 0)
		if h.of = "of the service"; err == nil {
			return h, h.read(past.All)
		}
		if cmd.Flags().Changed("socket") || !errors.Is(err, socket.ErrNoDaemon) {
			return h, err
		}
	}
	dir := s.Own()
	if h.of = "in " + dir; dir == "" {
		h.of = "HOME is not set"
		return h, nil
	}
	if left, ok := store.Left(dir); ok && left.Begun() {
		h.left = left
	}
	return h, h.read(store.History(dir))
}

func (h *history) read(entries iter.Seq2[match.Finished, error]) error {
	for m, err := range entries {
		if err != nil && !errors.As(err, new(match.Damage)) {
			return err
		}
		h.matches = append(h.matches, numbered{len(h.matches) + 1, m, err})
	}
	return nil
}

// match returns the match with a number; 0 is the last one that was played to its end or, if there is none,
// the last one. It then tells errs of a later match that is not over or was given up: somebody may look for
// its last round.
func (h history) match(number int, errs io.Writer) (m numbered, err error) {
	last := len(h.matches)
	if number == 0 && h.left.ID != "" {
		fmt.Fprintln(errs, "c4hat:", words.NotOver(h.left))
	}
	switch {
	case last == 0:
		return m, fmt.Errorf("there are no finished matches (%s)", h.of)
	case number > last:
		return m, fmt.Errorf("there is no match %d, the last one is %d (%s)", number, last, h.of)
	}
	m = h.matches[cmp.Or(number, last)-1]
	for i := last - 1; number == 0 && m.err == nil && m.Match.Abandoned() && i > 0; i-- {
		if earlier := h.matches[i-1]; earlier.err == nil && !earlier.Match.Abandoned() {
			fmt.Fprintln(errs, "c4hat:", words.GivenUpLater(last))
			m = earlier
		}
	}
	if m.err != nil {
		err = fmt.Errorf("match %d cannot be read: %w", m.Number, m.err)
	}
	return m, err
}

// lastMatches is how many matches stats lists.
const lastMatches = 10

func newStats() *cobra.Command {
	s := settings.New()
	asJSON := false
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Show the results so far",
		Long: `Show the results so far: the wins of each side, and the last ` + strconv.Itoa(lastMatches) + ` matches.
The matches are the service's or, if it is not running, those that you played without it;
--state names another folder.`,
		Example: `  c4hat stats
  c4hat stats --json | jq .matches          the number of matches
  sudo c4hat stats --state /var/lib/c4hat   the matches of a stopped service`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := findHistory(cmd, s)
			if err != nil {
				return err
			}
			return h.results(cmd.OutOrStdout(), asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	s.Add(cmd.Flags(), settings.Places)
	return cmd
}

// results writes the totals of a history, and its last matches.
func (h history) results(out io.Writer, asJSON bool) error {
	totals, last, damaged := match.Totals{Computer: []match.LevelTotals{}}, []numbered{}, 0 // in JSON lists, not null
	for _, m := range h.matches {
		if m.err != nil {
			totals.Damaged, damaged = totals.Damaged+1, m.Number
			continue
		}
		totals.Add(m.Match)
		last = append(last, m)
	}
	last = last[max(0, len(last)-lastMatches):]
	switch {
	case asJSON:
		return cli.WriteJSON(out, struct {
			match.Totals
			Last []numbered `json:"last"`
		}{totals, last})
	case len(h.matches) == 0:
		_, err := fmt.Fprintf(out, "no matches so far (%s)\n", h.of)
		return err
	}
	w := tabwriter.NewWriter(out, 0, 8, 3, ' ', 0)
	noun := "matches"
	if totals.Matches == 1 {
		noun = "match"
	}
	fmt.Fprintf(w, "%d %s (%s)\n\n", totals.Matches, noun, h.of)
	if totals.People != (match.Wins{}) {
		fmt.Fprintf(w, "two players\tred won %d\tyellow or blue %d\n", totals.People.Red, totals.People.Second)
	}
	for _, l := range totals.Computer {
		if l.Won+l.Lost > 0 {
			fmt.Fprintf(w, "computer, level %v\tyou won %d\tcomputer won %d\n", l.Level, l.Won, l.Lost)
		}
	}
	if totals.Programs > 0 {
		fmt.Fprintf(w, "with a program\t%d\n", totals.Programs)
	}
	if totals.Abandoned > 0 {
		fmt.Fprintf(w, "given up\t%d\n", totals.Abandoned)
	}
	if damaged > 0 {
		fmt.Fprintf(w, "damaged, not counted\t%d\tthe latest is number %d\n", totals.Damaged, damaged)
	}
	fmt.Fprintf(w, "\nthe latest matches (c4hat replay N replays number N):\n")
	players, result := 0, 0 // widths
	for _, n := range last {
		players, result = max(players, len(words.Players(n.Match.Record))), max(result, len(words.Result(n.Match.Record)))
	}
	between := "\t"
	if len("   1   2000-12-31 23:59   ")+players+len("   ")+result > 80 {
		between = "\n\t\t"
	}
	for _, n := range last {
		ended := "-"
		if t := n.Match.Ended; !t.IsZero() {
			ended = t.In(time.Local).Format("2006-01-02 15:04")
		}
		fmt.Fprintf(w, "%4d\t%s\t%s%s%s\n", n.Number, ended, words.Players(n.Match.Record), between, words.Result(n.Match.Record))
	}
	return w.Flush()
}

func newReplay() *cobra.Command {
	s := settings.New()
	asJSON := false
	cmd := &cobra.Command{
		Use:   "replay [N]",
		Short: "Replay a finished match",
		Long: `Replay a finished match in this terminal: the last one, or number N in c4hat stats.
Left and right step through the discs. Up and down go to the previous or next mistake;
there, down plays what follows, then what would have been better. Space stops and
resumes, q quits.

In a pipe, the match is lines of text. With --display plain, for a screen reader, they
show no boards.`,
		Example: `  c4hat replay             the last match
  c4hat replay 12          number 12 in the list of c4hat stats
  c4hat replay 12 | less   as text
  c4hat replay --json 12   as JSON`,
		Args:              takes(0, 1, "replay takes the number of one match"),
		ValidArgsFunction: completeMatch(s),
		RunE: func(cmd *cobra.Command, args []string) error {
			number, err := strconv.Atoi(strings.Join(args, ""))
			if len(args) == 1 && (err != nil || number < 1) {
				return cli.Usagef("%q is not the number of a match: c4hat stats lists them; c4hat analyse explains a game", args[0])
			}
			h, err := findHistory(cmd, s)
			if err != nil {
				return err
			}
			n, err := h.match(number, cmd.ErrOrStderr())
			out := cmd.OutOrStdout()
			switch {
			case err != nil:
				return err
			case asJSON:
				return cli.WriteJSON(out, n)
			case s.Display != "plain" && cli.StreamsOf(cmd).CanDraw():
				_, err := inTerminal(cmd.Context(), s, game.LookBack(n.Match.Record, time.Now()), newComputer())
				if err == nil {
					_, err = fmt.Fprintf(out, "match %d: %s\n", n.Number, words.Result(n.Match.Record))
				}
				return err
			}
			boards := console.EachRound
			if s.Display == "plain" {
				boards = console.OnDemand
			}
			err = console.Tell(out, n.Match.Record, boards)
			if err == nil && n.Match.Match.Rules().Connect == board.Standard.Connect {
				why := cli.Command(fmt.Sprintf("analyse %d", n.Number), cmd.Flags(), "display state socket config")
				_, err = fmt.Fprintln(out, cli.FillLines(words.Decided(why), out))
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the match as JSON")
	s.Add(cmd.Flags(), "display palette "+settings.Places)
	return cmd
}

// inTerminal plays a game alone in the terminal.
func inTerminal(ctx context.Context, s *settings.Settings, g *game.Game, c session.Computer) (*game.Game, error) {
	panel, err := openPicture(s)
	if err != nil {
		return g, err
	}
	defer panel.Close()
	return session.New(g, session.Options{Computer: c}).Run(ctx, panel)
}

// completeMatch offers the numbers of the last matches, newest first. Old matches are rarely wanted, and a shell asks
// for confirmation before it lists more than a screenful.
func completeMatch(s *settings.Settings) cobra.CompletionFunc {
	const most = 20
	return func(cmd *cobra.Command, args []string, typed string) (offered []string, _ cobra.ShellCompDirective) {
		const directive = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		h, err := findHistory(cmd, s)
		if len(args) > 0 || err != nil {
			return nil, directive
		}
		for _, m := range slices.Backward(h.matches) {
			if word := fmt.Sprint(m.Number); m.err == nil && strings.HasPrefix(word, typed) && len(offered) < most {
				offered = append(offered, word+"\t"+words.Result(m.Match.Record))
			}
		}
		return offered, directive
	}
}

func newAnalyse() *cobra.Command {
	s := settings.New()
	asJSON := false
	rules := board.Standard
	cmd := &cobra.Command{
		Use:     "analyse [N | MOVES | -]",
		Aliases: []string{"analyze"},
		Short:   "Find the discs that decided a game",
		Long: `For each disc of a game, show the outcome of perfect play before and after it, and the
best columns; then show the disc that decided the game. The default is the last finished
match. A number of up to three digits is that of a match in c4hat stats; more digits are
the moves of a game. With -, each line of standard input is a game: its moves, or a line
from c4hat tournament --record; after a bad line the exit status is 1.

Scores are exact, for four in a line. On boards larger than 7x6 those of the first discs
are usually unknown. With --display plain the report is sentences for a screen reader.`,
		Example: `  c4hat analyse                    the last match
  c4hat analyse 12                 number 12 in the list of c4hat stats
  c4hat analyse 44444433526        a game by its moves
  c4hat analyse - < games.jsonl    the games of a tournament
  c4hat analyse --json - < games   many games, a JSON object per line`,
		Args:              takes(0, 1, "analyse takes one match or game: use - for many"),
		ValidArgsFunction: completeMatch(s),
		RunE: func(cmd *cobra.Command, args []string) error {
			find := func(number int) (int, game.Record, error) {
				h, err := findHistory(cmd, s)
				if err != nil {
					return 0, game.Record{}, err
				}
				m, err := h.match(number, cmd.ErrOrStderr())
				return m.Number, m.Match.Record, err
			}
			games, err := tournament.Choose(cmd.Context(), cli.StreamsOf(cmd), rules, strings.Join(args, ""), find)
			if err != nil {
				return err
			}
			form := tournament.Table
			switch {
			case asJSON:
				form = tournament.JSON
			case s.Display == "plain":
				form = tournament.Sentences
			}
			return tournament.Analyse(cmd.Context(), games, cmd.OutOrStdout(), cmd.ErrOrStderr(), form)
		},
	}
	cmd.Flags().Var(settings.Size(&rules), "board", "size of the board, for games that are not saved matches")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object per game")
	s.Add(cmd.Flags(), "display "+settings.Places)
	return cmd
}
