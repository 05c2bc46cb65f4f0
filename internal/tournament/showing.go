package tournament

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/game"
)

// Showing shows games on a HAT. While one is shown, later ones are not; while somebody uses the HAT, none
// is. A nil Showing shows nothing.
type Showing struct {
	do      func(context.Context, game.Event) (game.View, error)
	next    chan game.Show // the latest game
	stop    func()         // returns when nothing is being sent
	refused chan error     // gets why a game was not shown, once
}

// NewShowing returns a Showing that passes its events to do, as a session's Do.
func NewShowing(ctx context.Context, do func(context.Context, game.Event) (game.View, error)) *Showing {
	ctx, cancel := context.WithCancel(ctx)
	stopped := make(chan struct{})
	s := &Showing{do: do, next: make(chan game.Show, 1), refused: make(chan error, 1), stop: func() { cancel(); <-stopped }}
	go func() {
		defer close(stopped)
		wait, told := time.Duration(0), false
		for {
			select {
			case <-time.After(wait):
			case <-ctx.Done():
				return
			}
			select {
			case show := <-s.next:
				wait = game.ShowTime(show.Game)
				if _, err := do(ctx, show); err != nil {
					wait = 5 * time.Second
					if !told {
						s.refused <- err
					}
					told = true
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	return s
}

// Show shows a game with the results so far.
func (s *Showing) Show(g *Game, now *Results) {
	if s == nil {
		return
	}
	standing := standingOf(now)
	standing.Red, standing.Yellow = g.Red, g.Yellow
	played, _ := board.ParseGame(g.fixture.opening.Position().Rules(), board.Red, g.Moves)
	select {
	case <-s.next:
	default:
	}
	s.next <- game.Show{Game: played, Standing: standing}
}

func standingOf(now *Results) *game.Standing {
	standing := &game.Standing{Played: now.Played, Games: now.Games}
	for _, p := range now.Players[:min(len(now.Players), api.MaxPlaces)] {
		place := game.Place{Name: api.Short(p.Name)}
		if p.Games > 0 {
			place.Score = new(p.Share)
		}
		standing.Players = append(standing.Players, place)
	}
	return standing
}

// Refused returns why a game was not shown, once.
func (s *Showing) Refused() error {
	if s == nil {
		return nil
	}
	select {
	case err := <-s.refused:
		return err
	default:
		return nil
	}
}

// endTime is how long a tournament's end waits for the service: its machine may be busy.
const endTime = 5 * time.Second

// End shows the last standing.
func (s *Showing) End(ctx context.Context, r *Results) error {
	if s == nil {
		return nil
	}
	s.stop()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	none, _ := board.NewGame(board.Standard, board.Red)
	_, err := s.do(ctx, game.Show{Game: none, Standing: standingOf(r)})
	return err
}

// Output says what [Report] writes. Empty names are those of files that are not written.
type Output struct {
	cli.Streams
	JSON   bool   // write the results as JSON
	Record string // gets each game as a line of JSON; the tournament goes on where this file ends
	CSV    string // gets the ranking
	Page   string // gets ranking, scores and games

	Seeded  bool     // the record does not decide the seed
	Showing *Showing // shows the games
}

// Report plays a tournament, shows its progress, and writes the results, even if the context ends early.
func Report(ctx context.Context, players []*Player, o Options, to Output) error {
	var notes []string
	if to.Record != "" {
		var file *os.File
		var err error
		if file, notes, err = o.resume(to.Record, to.Seeded, players); err != nil {
			return err
		}
		defer file.Close()
	}
	for _, note := range notes {
		fmt.Fprintf(to.Errs, "%s: %s\n", to.Record, note)
	}
	progress, began := cli.NewProgress(to.Errs), time.Now()
	switch n, total := len(o.Before), newResults(players, o).Games; {
	case n == total:
		fmt.Fprintf(to.Errs, "%s has all %d games: for new ones, name another file or delete this one\n",
			to.Record, n)
	case n > 0, notes != nil:
		fmt.Fprintf(to.Errs, "%s: going on after %d of %d games\n", to.Record, n, total)
	}
	o.Keep = to.Page != ""
	o.Played = func(g *Game, now *Results) {
		played, rest := now.Played-len(o.Before), now.Games-now.Played
		left := (time.Since(began) / time.Duration(played) * time.Duration(rest)).Round(time.Second)
		if played == len(players) && left > time.Minute { // each has played about twice
			progress.Clear()
			judge := map[bool]string{true: " to play and judge"}[now.solved && o.Rules != board.Standard] // where it takes long
			fmt.Fprintf(to.Errs, "%d games are left and take about %v%s; Ctrl-C stops and prints the results so far\n",
				rest, left, judge)
		}
		fault := map[bool]string{true: " by a fault"}[g.Fault != ""]
		progress.Show("game %d of %d, %s against %s: %s%s; about %v left",
			now.Played, now.Games, g.Red, g.Yellow, g.ending(), fault, left)
		to.Showing.Show(g, now)
		if err := to.Showing.Refused(); err != nil {
			progress.Clear()
			fmt.Fprintf(to.Errs, "not shown: %v\n", err)
		}
	}
	results, err := Run(ctx, players, o)
	progress.Clear()
	if results != nil {
		if err := to.Showing.End(ctx, results); err != nil {
			fmt.Fprintf(to.Errs, "the standing is not shown: %v\n", err)
		}
	}
	switch {
	case errors.Is(err, ErrOpening):
		return cli.Usagef("%w; use a smaller --opening-plies", err)
	case results == nil:
		return err
	}
	if results.Played < results.Games {
		fmt.Fprintf(to.Errs, "stopped after %d of %d games\n", results.Played, results.Games)
	}
	write := results.Write
	if to.JSON {
		write = func(w io.Writer) error { return cli.WriteJSON(w, results) }
	}
	err = cmp.Or(err, write(to.Out), save(to.CSV, results.WriteCSV), save(to.Page, results.WritePage))
	for _, p := range results.Players {
		if p.Faults > 0 {
			fmt.Fprintln(to.Errs, p.fault())
		}
	}
	return err
}

// resume opens the record and recalls its games. Unless seeded is set, they decide the seed.
func (o *Options) resume(name string, seeded bool, players []*Player) (file *os.File, notes []string, err error) {
	file, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, nil, err
	}
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() { // not a pipe
		games, length, err := ReadRecord(file)
		if len(games) > 0 && !seeded {
			o.Seed = games[0].Seed
		}
		if err == nil {
			notes, err = o.recall(games, players)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", name, err)
		}
		_, err = file.Seek(length, io.SeekStart)
		if err = errors.Join(file.Truncate(length), err); err != nil {
			return nil, nil, err
		}
	}
	o.Record = file
	return file, notes, nil
}

// save writes a file, unless its name is empty.
func save(name string, write func(io.Writer) error) error {
	if name == "" {
		return nil
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(file), file.Close())
}
