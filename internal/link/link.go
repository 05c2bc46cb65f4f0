// Package link plays one match on two machines. Each machine's service plays the match, and the
// link holds the seat of the other machine's player. It carries the discs over a connection,
// called a line: the standard streams of a command that the user's ssh runs on the other
// machine.
//
// The link does not rely on what it has sent before. It compares what the two services show. If one
// of them lacks a disc, the link drops the disc there, by its number in the match. So each disc
// falls exactly once, however often the line breaks.
package link

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/quote"
	"github.com/c4hat/c4hat/internal/socket"
)

// Link is a match on two machines.
type Link struct {
	Here *socket.Client
	Host string     // the other machine
	Play board.Disc // the player who uses the joystick here
	Asks bool       // on the first connection, ssh may ask the user, for example for a password

	Match game.Start   // the match to start if none is under way, or if its Force is set
	Tell  func(string) // receives what the link is doing, in a few words

	ctx    context.Context
	cancel context.CancelCauseFunc // ends the link
	life   context.Context         // ends after ctx, when requests under way have been answered
	kill   context.CancelFunc
	events chan func()
	linked func()         // called when both seats are taken
	done   chan struct{}  // closed when everything has ended
	lines  sync.WaitGroup // every line, until its processes have ended
	told   string

	open        func(ctx context.Context, host string, asks bool) (*line, error) // nil: ssh
	version     string                                                           // of the service here
	here, there side
	begun       bool // a match has been linked
	force       int  // where a match must still be started by force; 2: on both machines, 1: only on Host
}

// ErrConflict means that two matches or machines cannot be linked. Nothing was changed.
var ErrConflict = errors.New("cannot link")

func conflict(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrConflict, fmt.Errorf(format, args...))
}

// Start opens the line, and links the matches in the background. It returns when the first match is
// linked, or with the error that prevents linking. [Link.Wait] waits for the end of the link.
func (l *Link) Start(ctx context.Context) error {
	l.ctx, l.cancel = context.WithCancelCause(ctx)
	l.life, l.kill = context.WithCancel(context.WithoutCancel(ctx))
	l.events, l.done = make(chan func()), make(chan struct{})
	ready := make(chan struct{})
	l.linked = sync.OnceFunc(func() { close(ready) })
	here := &line{client: l.Here, end: func() {}}
	l.here = side{link: l, name: "here", player: l.Play, leave: func() {}, line: here, dial: func() (*line, error) { return here, nil }}
	l.there = side{link: l, name: "on " + l.Host, player: l.Play.Other(), leave: func() {}, dial: func() (*line, error) { return l.dial(false) }}
	if l.open == nil {
		l.open = ssh
	}
	if l.Match.Force {
		l.force = 2
	}
	l.Match.Seed = newSeed()
	status, err := l.Here.Status(ctx)
	if err != nil {
		return err
	}
	l.version = status.Machine.Version
	if l.there.line, err = l.dial(l.Asks); err != nil {
		return err
	}
	go l.run()
	select {
	case <-ready:
		return nil
	case <-l.done:
		return context.Cause(l.ctx)
	}
}

// newSeed returns a seed. The seed is never zero, which would mean that there is none.
func newSeed() uint64 { return rand.Uint64() | 1 }

// Wait waits until the link and its processes have ended, and returns the reason for the end.
func (l *Link) Wait() error {
	<-l.done
	return context.Cause(l.ctx)
}

func (l *Link) run() {
	defer close(l.done)
	defer l.end()
	l.here.follow()
	l.there.follow()
	for {
		select {
		case f := <-l.events:
			f()
			l.decide()
		case <-l.ctx.Done():
			return
		}
	}
}

// send runs f in the goroutine of run.
func (l *Link) send(f func()) {
	select {
	case l.events <- f:
	case <-l.life.Done():
	}
}

func (l *Link) later(d time.Duration, f func()) { time.AfterFunc(d, func() { l.send(f) }) }

// say passes a text to Tell, unless it is the same as the last one. A part of the text may come from
// the other machine, so it is cleaned.
func (l *Link) say(format string, args ...any) {
	if text := quote.Clean(fmt.Sprintf(format, args...)); text != l.told {
		l.told = text
		l.Tell(text)
	}
}

// end gives up the seats, including seats that are being taken, and closes the lines.
func (l *Link) end() {
	l.cancel(nil)
	late := time.After(endTime)
	for waits := true; waits && (l.here.busy || l.there.busy); {
		select {
		case f := <-l.events:
			f()
		case <-late:
			waits = false
		}
	}
	l.kill()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(l.ctx), endTime)
	defer cancel()
	var seats sync.WaitGroup
	for _, s := range []*side{&l.here, &l.there} {
		if s.line != nil && s.token != "" {
			seats.Go(func() { _, _ = s.line.client.Seated(s.token).Do(ctx, game.Leave{}) }) // if this fails, the service opens the seat later
		}
	}
	seats.Wait()
	if l.there.line != nil {
		l.there.line.end()
	}
	l.lines.Wait()
}

// dial opens a line, and checks that the service there has the same version as the one here; only
// the patch number may differ.
func (l *Link) dial(asks bool) (*line, error) {
	line, err := l.open(l.ctx, l.Host, asks)
	if err != nil {
		return nil, err
	}
	l.lines.Go(func() { <-line.lost })
	ctx, cancel := context.WithTimeout(l.ctx, requestTime)
	defer cancel()
	status, err := line.client.Status(ctx)
	if there := status.Machine.Version; err == nil && minor(there) != minor(l.version) {
		err = conflict("here is c4hat %s, on %s %s: install the same version on both", l.version, l.Host, there)
	}
	if err != nil {
		line.end()
		return nil, err
	}
	return line, nil
}

// minor returns a version without its patch number: "0.2" for "0.2.1".
func minor(version string) string {
	parts := strings.Split(version, ".")
	return strings.Join(parts[:min(2, len(parts))], ".")
}
