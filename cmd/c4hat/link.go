package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/spf13/cobra"
)

func newLink() *cobra.Command {
	s := settings.New()
	as, there := "red", settings.DefaultSocket
	force := false
	cmd := &cobra.Command{
		Use:   "link USER@HOST",
		Short: "Play one match on two HATs",
		Long: `Play a match of another machine on this machine's HAT. This machine's joystick drops the
red discs, the other machine's joystick the yellow ones, and both HATs show the match.

The link runs over ssh, with your keys: ssh USER@HOST c4hat status must work without a
password. This HAT is lent until the link ends, or somebody here holds up for two seconds.
The terminal's keys play too; q ends the link, and the match continues. doc/link.md
explains how to set up two Pis.`,
		Example: `  c4hat link pi@raspberrypi2.local   you are red, the other HAT is yellow
  c4hat link --as yellow pi@raspberrypi2.local
  c4hat link --board 8x8 --force pi@192.168.1.23`,
		ValidArgsFunction: cobra.NoFileCompletions,
		Args:              takes(1, 1, "link needs the other machine, as in c4hat link pi@raspberrypi2.local"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[0] == "" || strings.HasPrefix(args[0], "-") || strings.ContainsAny(args[0], " \t\n") {
				return cli.Usagef("%s is not a machine: a machine is USER@HOST", words.Quote(args[0]))
			}
			c, err := s.Match(cmd.Flags())
			if err != nil {
				return err
			}
			l := &link{here: socket.Dial(s.Socket), host: args[0], socket: there, match: game.Start{Setup: c.Setup, Force: force}}
			if l.plays = board.Red; as != "red" {
				l.plays = board.Yellow
			}
			return l.run(cmd.Context(), cli.StreamsOf(cmd), s)
		},
	}
	flags := cmd.Flags()
	flags.Var(settings.Choice(&as, "red", "yellow", "blue"), "as", "the colour this joystick plays; on an 8x8 board blue replaces yellow")
	flags.BoolVar(&force, "force", false, "end the match under way on the other machine")
	flags.Var(settings.String(&there, there), "their-socket", "`PATH` of the service's socket on the other machine")
	s.Add(flags, settings.Terms+"palette "+settings.Service)
	return cmd
}

// link plays a match of another machine's service with the joystick and the LEDs of this machine. ssh forwards
// the other machine's socket. The link borrows the HAT here, takes a seat there, and attaches the HAT to it, as any
// front is attached. So there is one match, and the other machine keeps it.
type link struct {
	here   *socket.Client
	host   string // the other machine
	socket string // of the service there

	plays board.Disc // the player who uses the joystick here
	match game.Start // the match to start there if none is under way, or if its Force is set

	hat   *linked
	front session.Panel // shows the match too, if it is not nil
	tell  func(string)  // receives what the link is doing, in a few words
	there *socket.Client
	seat  session.Session // there; the same as there: this HAT watches
	begun atomic.Bool     // a match has been linked
	told  atomic.Value
}

const (
	retryTime  = time.Second            // before another ssh, or another question to the service there
	settleTime = 100 * time.Millisecond // in which keys that were pressed before a link arrive
)

// run links this machine's HAT until the context is done, the HAT is taken back or the user quits. It shows the
// match in the terminal too, where its keys also play, or says what it does. If the line breaks, it tries again. It
// returns an error at once if the first match cannot be linked.
func (l *link) run(ctx context.Context, std cli.Streams, s *settings.Settings) error {
	here, err := l.here.Status(ctx)
	if err != nil {
		return err
	}
	hat, err := l.here.Borrow(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "c4hat-link-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	l.tell = func(text string) { fmt.Fprintln(std.Errs, "c4hat:", text) }
	l.told.Store("")
	if std.CanDraw() {
		panel, err := openPicture(s)
		if err != nil {
			return err
		}
		defer panel.Close()
		panel.State = func() string { return l.told.Load().(string) }
		l.front, l.tell = panel, func(string) { _ = panel.Show(*l.hat.last.Load()) } // it asks for the state
	}
	door := filepath.Join(dir, "socket")
	l.hat, l.there = &linked{HAT: hat}, socket.Dial(door)
	l.seat = l.there
	l.hat.last.Store(new(game.View))
	ctx, fail := context.WithCancelCause(ctx)
	line, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	var lines sync.WaitGroup
	lines.Go(func() { l.keep(line, door, fail) })
	err = l.play(ctx, here.Machine.Version)
	leave, cancel := context.WithTimeout(line, time.Second)
	_, _ = l.seat.Do(leave, game.Leave{}) // without a line, the service opens the seat later
	cancel()
	hangUp()
	lines.Wait()
	if errors.Is(err, socket.ErrReturned) {
		l.say("the link ends: somebody has taken the HAT here")
		return nil
	}
	return leaving(err)
}

func (l *link) say(text string) {
	if text != l.told.Swap(text) {
		l.tell(text)
	}
}

// keep keeps a line to the other machine until the context is done. It calls fail if there is no line for the
// first match.
func (l *link) keep(ctx context.Context, door string, fail func(error)) {
	for ctx.Err() == nil {
		err := l.forward(ctx, door)
		if !l.begun.Load() {
			fail(err)
			return
		}
		if ctx.Err() == nil {
			l.say(err.Error() + "; trying again")
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryTime):
		}
	}
}

// forward lets the user's ssh forward the other machine's socket until the context is done. It returns why ssh
// has ended.
func (l *link) forward(ctx context.Context, door string) error {
	cmd := exec.CommandContext(ctx, "ssh", "-T", "-o", "BatchMode=yes", "-o", "ControlPath=none", "-o", "ConnectTimeout=10",
		"-o", "ServerAliveInterval=3", "-o", "ServerAliveCountMax=2", "-o", "ExitOnForwardFailure=yes", "-o", "StreamLocalBindUnlink=yes",
		"-L", door+":"+l.socket, "--", l.host, "cat")
	in, err := cmd.StdinPipe() // cat, and so ssh, ends with it, even if this program is killed
	if err != nil {
		return err
	}
	cmd.Cancel, cmd.WaitDelay = in.Close, time.Second
	var said strings.Builder
	cmd.Stderr = &said
	if errors.Is(cmd.Run(), exec.ErrNotFound) {
		return errors.New("ssh is not installed here: sudo apt install openssh-client")
	}
	text := strings.TrimRight(said.String(), ".\r\n")
	if text == "" {
		return fmt.Errorf("the connection to %s is lost", l.host)
	}
	reason := words.Clean(text[strings.LastIndexByte(text, '\n')+1:])
	return fmt.Errorf("%s: ssh: %s; ssh %[1]s c4hat status must work first: see doc/link.md", l.host, reason)
}

// play plays one match there after the other. It returns why the link ends.
func (l *link) play(ctx context.Context, version string) error {
	for {
		v, err := l.sit(ctx, version)
		begun, pause := l.begun.Load(), settleTime
		switch {
		case errors.Is(err, socket.ErrNoDaemon): // keep says why there is no line
		case err != nil && !begun:
			return err
		case err != nil:
			l.say(err.Error() + "; trying again")
		}
		if err != nil && begun {
			pause = retryTime
			_ = l.hat.Show(*l.hat.last.Load()) // who shows nothing loses the HAT in time
		}
		wait, cancel := context.WithTimeout(ctx, pause)
		ends := l.attach(wait, l.there, session.Terms{Watch: true})
		cancel()
		if !errors.Is(ends, context.DeadlineExceeded) {
			return ends
		}
		if err != nil {
			continue
		}
		doing := "linked with " + l.host
		if !v.UnderWay {
			doing += ": start a match on either HAT"
		}
		err = l.attach(ctx, l.seat, session.Terms{Until: func(now game.View) bool {
			switch {
			case !now.Lost:
				l.say(doing) // again
			case l.told.Load() == doing: // keep has not said why yet
				l.say(words.ServiceLost)
			}
			return !now.Lost && (now.UnderWay != v.UnderWay || now.ID != v.ID)
		}})
		if errors.Is(err, session.ErrLeft) || errors.Is(err, session.ErrInterrupted) {
			return err
		}
		if err == nil || errors.Is(err, game.ErrNoSeat) { // the seat is lost with its match, or the service was restarted
			l.seat = l.there
		}
	}
}

// attach shows a session on the HAT here, and on the front.
func (l *link) attach(ctx context.Context, s session.Session, t session.Terms) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if l.front != nil {
		go func() {
			if _, err := session.Attach(ctx, s, l.front, t); err != nil {
				cancel(err)
			}
		}()
	}
	_, err := session.Attach(ctx, s, l.hat, t)
	return err
}

// sit takes the seat in the match there. For the link's first match, there must be one. The error is
// [socket.ErrNoDaemon] if there is no line.
func (l *link) sit(ctx context.Context, version string) (v game.View, err error) {
	status, err := l.there.Status(ctx)
	switch {
	case errors.Is(err, session.ErrAway) && !errors.Is(err, socket.ErrNoDaemon):
		return v, fmt.Errorf("%s: the c4hat service there does not answer, or its socket is not your user's: ssh %[1]s c4hat status says more", l.host)
	case err != nil:
		return v, err
	case status.Machine.Version != version:
		return v, fmt.Errorf("here is c4hat %s, on %s %s: install the same version on both", version, l.host, status.Machine.Version)
	}
	begun := l.begun.Load()
	if v = status.View; !begun && (!v.UnderWay || l.match.Force) {
		v, err = l.there.Do(ctx, l.match)
	}
	if err != nil {
		return v, fmt.Errorf("on %s: %w", l.host, err)
	}
	if v.UnderWay && l.seat == l.there {
		seat, err := l.there.Take(ctx, game.Take{Player: l.plays})
		switch {
		case err == nil:
			l.seat = seat
		case !begun:
			return v, fmt.Errorf("the match on %s: %w: end it, or replace it with --force", l.host, err)
		} // if somebody else has the seat, this HAT watches
	}
	l.begun.Store(true)
	return v, nil
}

// linked is the HAT here.
type linked struct {
	*socket.HAT
	last     atomic.Pointer[game.View]
	repeated time.Time // when a held key last moved the cursor
}

// Show shows a view. If it may be out of date, it is dimmed.
func (f *linked) Show(v game.View) error {
	last := v
	f.last.Store(&last)
	if v.Lost {
		for i, led := range v.Frame {
			v.Frame[i] = led.Dimmed()
		}
	}
	return f.HAT.Show(v)
}

// Next waits for the joystick's next key. A held key moves the cursor every holdTime, but not over the edge.
func (f *linked) Next(ctx context.Context) (game.Event, error) {
	const holdTime = 150 * time.Millisecond
	for {
		ev, err := f.HAT.Next(ctx)
		k, _ := ev.(game.Press)
		if err != nil || k.Action == game.Pressed {
			return ev, err
		}
		v := f.last.Load()
		inside := k.Key == game.Left && v.Cursor > 0 || k.Key == game.Right && v.Cursor < v.Match.Rules().Columns-1
		if k.Action == game.Held && inside && time.Since(f.repeated) >= holdTime {
			f.repeated = time.Now()
			return game.Press{Key: k.Key}, nil
		}
	}
}
