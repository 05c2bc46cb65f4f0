package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/front/bot"
	"github.com/c4hat/c4hat/internal/front/console"
	"github.com/c4hat/c4hat/internal/front/term"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// player is c4hat play. It opens a game, in this process or on the service, shows it on a front, which takes the
// keys, and says at the end how the match ended or how it goes on.
type player struct {
	cli.Streams
	*settings.Settings
	flags  *pflag.FlagSet
	config game.Config

	picture   bool // draw in the terminal: it can show pictures, and plain text was not chosen
	resume    bool // join the match under way, or resume the last one
	force     bool // end the match under way
	local     bool // play without the service, even if it is running
	showBoard bool

	programs map[board.Disc]bot.Command // those that play
	bot      bot.Options                // of each program
}

func newPlay() *cobra.Command {
	p := &player{Settings: settings.New(), bot: bot.Options{MoveTime: 10 * time.Second, StartTime: bot.StartTime}}
	p.Usual = match.UsualLevel
	forever, against, colour, log := false, false, "yellow", ""
	var programs [2]string
	cmd := &cobra.Command{
		Use:   "play",
		Short: "Play a match, for two or against the computer",
		Long: `Play a match for two, or with --vs-cpu against the computer: on the service's HAT and in
this terminal or, if no service runs, in the terminal alone. A menu opens unless a flag
chooses a match.

Left and right move, down or enter drops, a digit drops into that column, up pauses, u
undoes, ? shows what each column is worth, q quits. In a pipe or with --display plain, the
match is lines of text: a column or a command on each; help lists them.

When you quit, the match continues on the HAT, or is saved in your own folder: --continue
resumes it, and --force replaces it. The computer's levels are 1 novice, 2 beginner, 3 easy, 4 medium, 5
hard and 6 perfect. More is in doc/terminal.md, doc/programs.md and c4hat config.`,
		Example: `  c4hat play --vs-cpu --level hard       against the computer, which is yellow
  c4hat play --board 8x8 --first loser   on every LED; losers start
  c4hat play --yellow-program ./bot.py   against your own program
  c4hat play --continue                  resume the last match`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			flags := cmd.Flags()
			c, err := p.Match(flags)
			if err != nil {
				return err
			}
			if against || flags.Changed("level") || flags.Changed("cpu") {
				c.Computer, c.Level = board.Yellow, p.Level()
				if colour == "red" {
					c.Computer = board.Red
				}
			}
			p.programs = map[board.Disc]bot.Command{}
			for i, text := range programs {
				if !flags.Changed(programFlags[i]) {
					continue
				}
				d := board.Red + board.Disc(i)
				if p.programs[d], err = bot.ParseCommand(text); err != nil {
					return cli.Usagef("--%s: %w", programFlags[i], err)
				}
				if d == c.Computer {
					return cli.Usagef("--%s: the computer plays %s: leave the flag out, or give the computer the other colour with --cpu", programFlags[i], c.Rules.Name(d))
				}
			}
			p.local = p.local || flags.Changed("state") // the service has a folder of its own
			chosen := slices.IndexFunc(matchFlags, flags.Changed)
			switch program := len(p.programs) > 0; {
			case flags.Changed("socket") && p.local:
				return cli.Usagef("--socket names the service, and --local and --state play without it: leave one out")
			case p.resume && p.force:
				return cli.Usagef("--continue resumes a match as it is: leave out --force")
			case p.resume && chosen >= 0:
				return cli.Usagef("--continue resumes a match as it is: leave out --%s", matchFlags[chosen])
			case program && forever:
				return cli.Usagef("a program plays one match: leave out --forever")
			case !program && (flags.Changed("move-time") || flags.Changed("program-log")):
				return cli.Usagef("--move-time and --program-log are for programs: add --red-program or --yellow-program")
			}
			if p.bot.Log, err = cli.Append(log); err != nil {
				return err
			}
			p.bot.Rules, p.Streams, p.flags = c.Rules, cli.StreamsOf(cmd), flags
			p.picture = p.Display == "terminal" || p.Display == "auto" && p.CanDraw()
			if p.Display == "terminal" && !p.OneTerminal() {
				return errors.New("standard input or output is not a terminal: use --display plain")
			}
			c.Forever = forever || p.picture && len(p.programs) == 0
			c.Menu = p.picture && len(p.programs) == 0 && chosen < 0 && !p.resume && !p.force && !flags.Changed("seed")
			p.config = c
			return p.play(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&against, "vs-cpu", false, "play against the computer")
	p.Add(flags, "level")
	flags.Var(settings.Choice(&colour, "red", "yellow", "blue"), "cpu", "the computer's colour; on an 8x8 board blue replaces yellow")
	flags.StringVar(&programs[0], programFlags[0], "", "`COMMAND` of a program that plays red, as in ./bot.py")
	flags.StringVar(&programs[1], programFlags[1], "", "`COMMAND` of a program that plays yellow, or blue on an 8x8 board")
	// On an 8x8 board the second player is blue.
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(strings.Replace(name, "blue-program", programFlags[1], 1))
	})
	flags.Var(settings.Duration(&p.bot.MoveTime), "move-time", "a program's time limit for each move, 0 for none")
	flags.StringVar(&log, "program-log", "", "add the programs' standard error to `FILE`")
	p.Add(flags, settings.Terms+"seed")
	flags.Var(settings.String(&p.Position), "position", "start the first round after these `MOVES`, as in 4453")
	flags.BoolVar(&p.resume, "continue", false, "join the match under way, or resume the last one")
	flags.BoolVar(&p.force, "force", false, "end the match under way on the HAT, or replace the saved one")
	flags.BoolVar(&forever, "forever", false, "in plain text, offer another match at the end")
	flags.BoolVar(&p.local, "local", false, "play without the service, even if it is running")
	flags.BoolVar(&p.showBoard, "show-board", false, "in plain text, show the board at each turn")
	p.Add(flags, "display palette "+settings.Places)
	return cmd
}

// matchFlags choose a match. If none of them is set, the menu opens.
var matchFlags = []string{"vs-cpu", "level", "cpu", "board", "connect", "points", "first", "position"}

var programFlags = [2]string{"red-program", "yellow-program"}

// What to type in a shell to resume the match, if it is ours with its programs, and to analyse it at its end.
func (p *player) resumes(ours bool) string {
	names := "local display state socket config"
	if ours {
		names += " red-program yellow-program move-time"
	}
	return cli.Command("play --continue", p.flags, names)
}

func (p *player) analyses() string {
	return cli.Command("analyse", p.flags, "state socket config display")
}

// opened is a game to play, here or on the service.
type opened struct {
	session session.Session
	until   func(game.View) bool // see Terms in package session
	note    string               // see Panel in package term
	here    bool                 // it runs in this process, not on the service
	// end ends a game that runs here. last is the last view that the front was given, and err why the front ended.
	// over is the last view of the match that was played here, and says is what to say if nobody has won.
	end    func(last game.View, err error) (over game.View, says string, ends error)
	listed bool // the match can be analysed and replayed; end sets it
}

// play starts the programs, opens the game, lets the programs join, and shows the game on a front until one of
// the two ends.
func (p *player) play(ctx context.Context) error {
	var later strings.Builder
	faults := p.Errs
	if p.picture { // nothing is printed over it
		faults = &later
	}
	programs, err := bot.StartAll(p.programs, p.bot, func(err error) { fmt.Fprintln(faults, err) })
	if err != nil {
		return err
	}
	defer func() {
		wrote := programs.Close()
		if text := later.String() + wrote; text != "" { // a terminal that takes no output does not take nothing either
			fmt.Fprint(p.Errs, text)
		}
	}()
	g, err := p.open(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	front, leave, err := p.front(ctx, g)
	if err == nil { // the programs have their seats before the front takes keys
		err = programs.Join(ctx, g.session)
	}
	var last game.View
	if err == nil {
		last, err = session.Attach(ctx, g.session, front, session.Terms{Until: g.until})
	}
	leave() // first: saving may wait for a disk
	over, says, ends := g.end(last, err)
	switch {
	case errors.Is(err, console.ErrInputEnded) && says != "":
		return fmt.Errorf("%w; %s", err, says)
	case disconnected(err), ends != nil && !errors.Is(ends, session.ErrInterrupted): // a terminal may take no output
		return ends
	case over.Match.Winner() != board.Empty:
		return cmp.Or(p.tellResult(over, g.listed), ends)
	case says != "":
		return cmp.Or(p.say(says), ends)
	}
	return ends
}

// open opens the game on the service if it answers, and otherwise in this process.
func (p *player) open(ctx context.Context) (*opened, error) {
	if !p.local {
		client := socket.Dial(p.Socket)
		status, err := client.Status(ctx)
		switch {
		case err == nil:
			return p.openService(ctx, client, status)
		case p.flags.Changed("socket") || !errors.Is(err, socket.ErrNoDaemon):
			return nil, err
		}
		if screens, _ := hat.Devices(); len(screens) > 0 {
			fmt.Fprintln(p.Errs, "c4hat:", words.NoService)
		}
	}
	warned := new(cli.FirstWarning)
	k, err := store.OpenSaver(ctx, p.Own(), slog.New(warned))
	if err != nil {
		return nil, err
	}
	g, err := p.openHere(ctx, k, warned)
	if err != nil {
		k.Close()
	}
	return g, err
}

// openHere opens a game in this process: it starts the match that the flags choose, or resumes the saved one. The
// matches are saved in the user's own folder.
func (p *player) openHere(ctx context.Context, k *store.Saver, warned *cli.FirstWarning) (*opened, error) {
	warning := warned.Text()
	if k.Unsaved != nil {
		warning = fmt.Sprintf("this match will not be kept: %v; choose another folder with --state", k.Unsaved)
	}
	c, left := k.Config(p.config), game.Record{}
	switch {
	case k.Left.Begun() && p.resume:
		left = k.Left
	case k.Left.Begun() && k.Unsaved == nil:
		c.Parked = k.Left
	case !p.resume:
	case errors.Is(k.Unsaved, store.ErrOpen):
		return nil, errors.New("your match is open in another terminal, or in c4hat web: quit it there first")
	case k.Unsaved != nil:
		return nil, k.Unsaved
	case warned.Text() != "":
		return nil, errors.New(warned.Text())
	default:
		return nil, errors.New("there is no match to resume: start one without --continue")
	}
	if _, plays := p.programs[left.Computer]; plays {
		return nil, fmt.Errorf("in that match %s is the computer: leave out its program", left.Match.Rules().Name(left.Computer))
	}
	g := &opened{here: true}
	if warning != "" {
		fmt.Fprintln(p.Errs, "c4hat:", warning)
	}
	if k.Unsaved != nil {
		g.note = words.NotSaved
	}
	c.Waits = p.picture && (len(p.programs) == 0 || len(p.programs) == 1 && c.Computer == board.Empty)
	c.Idle, c.Attract = 0, false // only LEDs go dark
	now := time.Unix(0, 0)
	if p.picture {
		now = time.Now()
	}
	state, err := game.Resume(c, left, now)
	if err != nil {
		return nil, err
	}
	if c.Parked.ID != "" && !p.force {
		_, program := p.programs[state.View(now).Game.Position().Turn()]
		switch {
		case program || state.Phase() == game.Thinking: // a disc would fall before anybody can read the warning
			return nil, errors.New(words.WouldReplace(c.Parked, p.resumes(false)))
		case !p.picture: // a picture says so beside the board
			_ = p.say(words.Sentence(words.SavedMatch(c.Parked, p.resumes(false))))
		}
	}
	l := session.New(state, session.Options{Computer: newComputer(), Keeper: k, Instant: !p.picture})
	_, stop := l.Start(ctx)
	g.session = l.As(game.Source{ID: 1})
	g.end = func(_ game.View, err error) (over game.View, says string, ends error) {
		state, ended := stop()
		v := state.View(time.Now())
		if err == nil || errors.Is(err, session.ErrLeft) {
			err = ended
		}
		kept := k.Close()
		g.listed = kept && warning == ""
		switch {
		case state.Kept() && kept:
			says = words.Kept(p.resumes(!v.Replaces()))
		case p.picture && state.Phase() == game.Over: // plain text has said so
			says = words.NobodyWins
		}
		if state.Kept() && !kept {
			fmt.Fprintln(p.Errs, "c4hat:", words.NotKept)
		}
		if warning == "" {
			warned.Tell(p.Errs)
		}
		return v, says, err
	}
	return g, nil
}

// openService opens the game on the service's HAT.
func (p *player) openService(ctx context.Context, c *socket.Client, s socket.Status) (*opened, error) {
	before := s.View
	id, err := p.join(ctx, c, before)
	if err != nil {
		return nil, err
	}
	until := func(v game.View) bool {
		// A picture shows the victory until the menu comes, where an older match may wait.
		return !p.config.Forever && (v.ID != id || v.Phase == game.Menu || v.Phase == game.Attract || !p.picture && v.Match.Winner() != board.Empty)
	}
	end := func(last game.View, err error) (over game.View, says string, ends error) {
		ours := last.ID == id || p.config.Forever && last.ID != before.ID
		if ours {
			over = last
		}
		switch {
		case errors.Is(err, console.ErrInputEnded), err != nil && last.UnderWay:
			says = words.Continues(p.resumes(true))
		case err != nil: // somebody left the menu
		case !ours && last.UnderWay:
			says = words.Replaced
		case last.Left:
			says = words.Kept(p.resumes(false))
		default:
			says = words.EndedOnHAT
		}
		return over, says, leaving(err)
	}
	return &opened{session: c, until: until, end: end, listed: true}, nil
}

// join starts the match, joins the one under way or opens the menu, and returns the match's ID, if one is
// chosen. v is what the service shows.
func (p *player) join(ctx context.Context, client *socket.Client, v game.View) (id string, err error) {
	underWay := fmt.Errorf("%w (%s): join it with %s, watch it with %s, play beside it with --local, or replace it with --force",
		game.ErrUnderWay, words.Terms(v.Record), p.resumes(false), cli.Command("watch", p.flags, "socket config"))
	dark := v.Phase == game.Dark // the people may come back
	if !p.resume && !p.config.Menu {
		if v.UnderWay && v.Begun() && !p.force {
			return "", underWay
		}
		started, err := client.Do(ctx, game.Start{Setup: p.config.Setup, Force: p.force, Seed: p.config.Seed})
		switch {
		case err == nil && v.UnderWay:
			fmt.Fprintf(p.Out, "%s.\n", words.Sentence(words.HATGivenUp(v.Record)))
		case errors.Is(err, game.ErrUnderWay) && v.UnderWay:
			err = underWay
		}
		return started.ID, err
	}
	if p.config.Menu && v.UnderWay && !dark {
		return "", underWay
	}
	if dark || v.Phase == game.Attract { // the first key only opens the menu, or turns the LEDs on
		if v, err = client.Do(ctx, game.Pause); err != nil {
			return "", err
		}
	}
	switch {
	case p.config.Menu && v.Phase == game.Aim: // the pause screen offers to resume the match or to end it
		_, err = client.Do(ctx, game.Pause)
		return "", err
	case p.config.Menu: // no match is chosen yet
		return "", nil
	case v.UnderWay:
	case v.Phase != game.Menu || v.Choices.Page != "menu" || v.Choices.Names[0] != game.EntryResume:
		return "", errors.New("no match is under way on the HAT: start one without --continue")
	default:
		v, err = client.Do(ctx, game.Choose{Entry: 0})
	}
	return v.ID, err
}

// front opens what shows a game and takes keys or lines, and returns a function that closes it.
func (p *player) front(ctx context.Context, g *opened) (session.Panel, func(), error) {
	if p.picture {
		panel, err := openPicture(p.Settings)
		if err != nil {
			return nil, func() {}, err
		}
		panel.Note = g.note
		return panel, panel.Close, nil
	}
	boards := console.EachRound
	if p.showBoard {
		boards = console.EachTurn
	}
	panel := console.NewPanel(ctx, console.Options{
		In: p.In, Out: p.Out, Boards: boards, Newline: !p.OneTerminal(),
		Forever: p.config.Forever, Unaided: !g.here && len(p.programs) > 0,
	})
	return panel, panel.Close, nil
}

func openPicture(s *settings.Settings) (*term.Panel, error) {
	panel, err := term.Open()
	if err == nil {
		panel.Colours = s.Picture()
	}
	return panel, err
}

// tellResult prints how a match was won, after the terminal's picture is gone, and in a terminal which commands
// look back at it. Plain text has already printed the result.
func (p *player) tellResult(v game.View, listed bool) error {
	if p.picture {
		if v.Unattended() { // the last picture did not wait for a key press
			if err := console.Board(p.Out, v.Game.Position()); err != nil {
				return err
			}
		}
		if person := words.Person(v.Record, v.Seats); person != "" {
			fmt.Fprintln(p.Out, person)
		}
		if _, err := fmt.Fprintln(p.Out, words.Match(v.Match)); err != nil {
			return err
		}
	}
	if !listed || v.Unattended() || !cli.IsTerminal(p.Out) {
		return nil
	}
	text := words.Replays(cli.Command("replay", p.flags, "state socket config display"))
	if v.Match.Rules().Connect == board.Standard.Connect {
		text = words.Decided(p.analyses()) + "; " + text
	}
	return p.say(text)
}

// say prints a line after the match. Where somebody reads plain text in a terminal, no word is broken;
// elsewhere a command to copy stays whole.
func (p *player) say(text string) error {
	if !p.picture {
		text = cli.FillLines(text, p.Out)
	}
	_, err := fmt.Fprintln(p.Out, text)
	return err
}

// leaving returns the error of a command that may end before the match does: none after q or Ctrl-C, or because
// the terminal's connection dropped.
func leaving(err error) error {
	if errors.Is(err, session.ErrLeft) || errors.Is(err, session.ErrInterrupted) || disconnected(err) {
		return nil
	}
	return err
}

// disconnected reports whether nobody reads the output any more, so that a write might block.
func disconnected(err error) bool { return errors.Is(err, term.ErrClosed) || cli.HungUp(err) }
