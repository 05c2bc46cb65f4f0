package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
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
		Long: `Play the match of another machine on this machine's HAT. This machine's joystick drops the
red discs, the other machine's joystick the yellow ones, and both HATs show the match.

The link uses your ssh keys: ssh USER@HOST c4hat status must work without a
password. The terminal's keys play too. To end the link, type q, or hold this joystick up
for two seconds; the other machine's match continues. doc/link.md explains how to set up
two Pis.`,
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
			l := &link{host: args[0], socket: there, plays: board.Red, match: game.Start{Setup: c.Setup, Force: force}}
			if as != "red" {
				l.plays = board.Yellow
			}
			std := cli.StreamsOf(cmd)
			if err = l.run(cmd.Context(), std, s); errors.Is(err, socket.ErrReturned) {
				fmt.Fprintln(std.Errs, "c4hat: the link ends: somebody has taken the HAT here")
				return nil
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.Var(settings.Choice(&as, "red", "yellow", "blue"), "as", "the colour this joystick plays; on an 8x8 board blue replaces yellow")
	flags.BoolVar(&force, "force", false, "end the match under way on the other machine")
	flags.Var(settings.String(&there, there), "their-socket", "`PATH` of the service's socket on the other machine")
	s.Add(flags, settings.Terms+"palette "+settings.Service)
	return cmd
}

// link is a client of another machine's service, for the joystick and the LEDs of this machine. ssh forwards the
// other machine's socket. The link borrows the HAT here, takes a seat there, and is attached to the HAT as any
// session is. So there is one match, and the other machine keeps it.
type link struct {
	*socket.Client        // of the service there
	host           string // the other machine
	socket         string // of the service there

	plays board.Disc        // the player who uses the joystick here
	match game.Start        // the match to start there if none is under way, or if its Force is set
	tell  func(text string) // receives what the link is doing

	told atomic.Value                    // the last text
	seat atomic.Pointer[session.Session] // in the match, or the Client: this HAT watches; nil before the first match
}

// run links this machine's HAT until the context is done, the HAT is taken back or the user quits. It shows the
// match in the terminal too, where its keys also play, or says what it does. If the line breaks, it tries again. It
// returns an error at once if the first match cannot be linked.
func (l *link) run(ctx context.Context, std cli.Streams, s *settings.Settings) error {
	hat, err := socket.Dial(s.Socket).Borrow(ctx)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "c4hat-link-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	door := filepath.Join(dir, "socket")
	l.Client, l.tell = socket.Dial(door), func(text string) { fmt.Fprintln(std.Errs, "c4hat:", text) }
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	if std.CanDraw() {
		panel, err := openPicture(s)
		if err != nil {
			return err
		}
		defer panel.Close()
		l.tell = func(string) {} // the picture says what matters
		go func() {
			_, err := session.Attach(ctx, beside{l}, panel, session.Terms{})
			end(err)
		}()
	}
	line, hangUp := context.WithCancel(context.WithoutCancel(ctx))
	var lines sync.WaitGroup
	lines.Go(func() {
		for line.Err() == nil {
			if err := l.forward(line, door); l.seat.Load() == nil {
				end(err)
				return
			} else if line.Err() == nil {
				l.say(err.Error() + "; trying again")
			}
			wait(line, time.Second)
		}
	})
	_, err = session.Attach(ctx, l, linked{hat}, session.Terms{})
	leave, cancel := context.WithTimeout(line, time.Second)
	_, _ = l.Do(leave, game.Leave{}) // without a line, the service opens the seat later
	cancel()
	hangUp()
	lines.Wait()
	return leaving(err)
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

func (l *link) say(text string) {
	if l.told.Swap(text) != any(text) {
		l.tell(text)
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

// begin waits for the line, and takes the seat in the match there, which it starts if none is under way.
func (l *link) begin(ctx context.Context) (match string, seat session.Session, err error) {
	v, err := l.Client.Do(ctx, game.Tick{})
	for errors.Is(err, socket.ErrNoDaemon) {
		wait(ctx, 100*time.Millisecond)
		v, err = l.Client.Do(ctx, game.Tick{})
	}
	if errors.Is(err, session.ErrAway) {
		return "", nil, fmt.Errorf("%s: the c4hat service there does not answer, or you may not use its socket: ssh %[1]s c4hat status says more", l.host)
	}
	if err == nil && (!v.UnderWay || l.match.Force) {
		v, err = l.Client.Do(ctx, l.match)
	}
	if err != nil {
		return "", nil, fmt.Errorf("on %s: %w", l.host, err)
	}
	if seat, err = l.Take(ctx, game.Take{Player: l.plays}); err != nil {
		err = fmt.Errorf("the match on %s: %w: end that match, or use --force", l.host, err)
	}
	return v.ID, seat, err
}

// Views yields the views there, and keeps the seat. In each new match, or if the seat was lost, it takes the seat
// again; if somebody else has it, this HAT watches.
func (l *link) Views(ctx context.Context) iter.Seq2[game.View, error] {
	return func(yield func(game.View, error) bool) {
		match, seat, err := l.begin(ctx)
		for err == nil {
			at := seat
			l.seat.Store(&at)
			for v, failed := range at.Views(ctx) {
				if err = failed; err != nil {
					break
				}
				if !v.Lost {
					l.say("linked with " + l.host)
				}
				if !v.Lost && !v.UnderWay {
					match, seat = "", l.Client
				} else if !v.Lost && v.ID != match {
					match, seat = v.ID, l.Client
					if taken, err := l.Take(ctx, game.Take{Player: l.plays}); err == nil {
						seat = taken
					}
				}
				if seat != at {
					break
				}
				if !yield(v, nil) {
					return
				}
			}
			if errors.Is(err, game.ErrNoSeat) {
				match, seat, err = "", l.Client, nil
			}
		}
		yield(game.View{}, err)
	}
}

// Do passes an event to the match there. Before the first match nothing has an effect.
func (l *link) Do(ctx context.Context, ev game.Event) (game.View, error) {
	if seat := l.seat.Load(); seat != nil {
		return (*seat).Do(ctx, ev)
	}
	return game.View{}, session.ErrAway
}

// beside is the link for a terminal beside the HAT: its views keep no seat.
type beside struct{ *link }

func (b beside) Views(ctx context.Context) iter.Seq2[game.View, error] { return b.Client.Views(ctx) }

// linked is the HAT here. A view that may be out of date is dimmed.
type linked struct{ *socket.HAT }

// Show shows a view.
func (f linked) Show(v game.View) error {
	if v.Lost {
		for i, led := range v.Frame {
			v.Frame[i] = led.Dimmed()
		}
	}
	return f.HAT.Show(v)
}
