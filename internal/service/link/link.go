// Package link plays the match of another machine's service on this machine's HAT.
package link

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
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/words"
)

// Link is a client of another machine's service, whose socket ssh forwards. It takes a seat there, and is attached to
// the borrowed HAT here as any session is. So there is one match, and the other machine keeps it.
type Link struct {
	Host   string            // the other machine, as ssh names it
	Socket string            // of the service there
	Plays  board.Disc        // the player who uses the joystick here
	Match  game.Start        // the match to start there if none is under way, or if its Force is set
	Tell   func(text string) // receives what the link is doing
	Beside session.Panel     // shows the match too, and takes keys; nil: nothing does

	*socket.Client                                 // of the service there
	told           atomic.Value                    // the last text
	seat           atomic.Pointer[session.Session] // in the match, or the Client: this HAT watches; nil before the first match
}

// Run links a HAT until the context is done, the HAT is taken back or the user quits. If the line breaks, it tries
// again. It returns an error at once if the first match cannot be linked.
func (l *Link) Run(ctx context.Context, hat *socket.HAT) error {
	dir, err := os.MkdirTemp("", "c4hat-link-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	door := filepath.Join(dir, "socket")
	l.Client = socket.Dial(door)
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	if l.Beside != nil {
		go func() {
			_, err := session.Attach(ctx, beside{l}, l.Beside, session.Terms{})
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
	return err
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

func (l *Link) say(text string) {
	if l.told.Swap(text) != any(text) {
		l.Tell(text)
	}
}

// forward lets the user's ssh forward the other machine's socket until the context is done. It returns why ssh
// has ended.
func (l *Link) forward(ctx context.Context, door string) error {
	cmd := exec.CommandContext(ctx, "ssh", "-T", "-o", "BatchMode=yes", "-o", "ControlPath=none", "-o", "ConnectTimeout=10",
		"-o", "ServerAliveInterval=3", "-o", "ServerAliveCountMax=2", "-o", "ExitOnForwardFailure=yes", "-o", "StreamLocalBindUnlink=yes",
		"-L", door+":"+l.Socket, "--", l.Host, "cat")
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
		return fmt.Errorf("the connection to %s is lost", l.Host)
	}
	reason := words.Clean(text[strings.LastIndexByte(text, '\n')+1:])
	return fmt.Errorf("%s: ssh: %s; ssh %[1]s c4hat status must work first: see doc/link.md", l.Host, reason)
}

// begin waits for the line, and takes the seat in the match there, which it starts if none is under way.
func (l *Link) begin(ctx context.Context) (match string, seat session.Session, err error) {
	v, err := l.Client.Do(ctx, game.Tick{})
	for errors.Is(err, socket.ErrNoDaemon) {
		wait(ctx, 100*time.Millisecond)
		v, err = l.Client.Do(ctx, game.Tick{})
	}
	if errors.Is(err, session.ErrAway) {
		return "", nil, fmt.Errorf("%s: the c4hat service there does not answer, or you may not use its socket: ssh %[1]s c4hat status says more", l.Host)
	}
	if err == nil && (!v.UnderWay || l.Match.Force) {
		v, err = l.Client.Do(ctx, l.Match)
	}
	if err != nil {
		return "", nil, fmt.Errorf("on %s: %w", l.Host, err)
	}
	if seat, err = l.Take(ctx, game.Take{Player: l.Plays}); err != nil {
		err = fmt.Errorf("the match on %s: %w: end that match, or use --force", l.Host, err)
	}
	return v.ID, seat, err
}

// Views yields the views there, and keeps the seat. In each new match, or if the seat was lost, it takes the seat
// again; if somebody else has it, this HAT watches.
func (l *Link) Views(ctx context.Context) iter.Seq2[game.View, error] {
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
					l.say("linked with " + l.Host)
				}
				if !v.Lost && !v.UnderWay {
					match, seat = "", l.Client
				} else if !v.Lost && v.ID != match {
					match, seat = v.ID, l.Client
					if taken, err := l.Take(ctx, game.Take{Player: l.Plays}); err == nil {
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
func (l *Link) Do(ctx context.Context, ev game.Event) (game.View, error) {
	if seat := l.seat.Load(); seat != nil {
		return (*seat).Do(ctx, ev)
	}
	return game.View{}, session.ErrAway
}

// beside is the link for a terminal beside the HAT: its views keep no seat.
type beside struct{ *Link }

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
