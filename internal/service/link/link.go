// Package link plays a match of another machine's service with the joystick and the LEDs of this machine. ssh
// forwards the other machine's socket. The link borrows the HAT here, takes a seat there, and attaches the HAT to
// it, as any front is attached. So there is one match, and the other machine keeps it.
package link

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/api"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/session"
)

// Link is a match on another machine.
type Link struct {
	Here   *socket.Client
	Host   string     // the other machine
	Socket string     // of the service there
	Play   board.Disc // the player who uses the joystick here
	Asks   bool       // on the first connection, ssh may ask the user, for example for a password

	Match game.Start    // the match to start there if none is under way, or if its Force is set
	Front session.Panel // shows the match too, if it is not nil
	Tell  func(string)  // receives what the link is doing, in a few words

	hat   *front
	token string // of the seat; empty: none
	begun bool   // a match has been linked
}

// retryTime is the pause before the link connects again.
const retryTime = time.Second

// Run links this machine's HAT until the context is done, the HAT is taken back or the front's user quits. If the
// line breaks, it tries again. It returns an error at once if the first match cannot be linked.
func (l *Link) Run(ctx context.Context) error {
	status, err := l.Here.Status(ctx)
	if err != nil {
		return err
	}
	hat, err := l.Here.Borrow(ctx)
	if err != nil {
		return err
	}
	l.hat = &front{HAT: hat}
	told, pause := "", time.Duration(0)
	for ; ; pause = retryTime {
		hear := l.ignore(ctx)
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		err := l.connect(ctx, status.Machine.Version, hear)
		hear()
		if errors.Is(err, socket.ErrReturned) {
			l.Tell("the link ends: somebody has taken the HAT here")
			return nil
		}
		if !l.begun || ctx.Err() != nil || errors.Is(err, session.ErrLeft) || errors.Is(err, session.ErrInterrupted) {
			return err
		}
		if text := err.Error(); text != told {
			told = text
			l.Tell(text + "; trying again")
		}
		if err := l.hat.lose(); err != nil {
			return err
		}
		l.Asks = false
	}
}

// ignore reads the keys that somebody presses while no match is linked, until hear is called: they must not
// drop discs later.
func (l *Link) ignore(ctx context.Context) (hear func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			if _, err := l.hat.HAT.Next(ctx); err != nil {
				return
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// connect plays over one line. It calls hear when the HAT's keys are to be heard.
func (l *Link) connect(ctx context.Context, version string, hear func()) error {
	at, err := l.open(ctx, l.Asks)
	if err != nil {
		return err
	}
	defer func() {
		l.leave(at)
		at.end()
	}()
	status, err := at.client.Status(at.ctx)
	switch {
	case errors.Is(err, session.ErrAway):
		return fmt.Errorf("%s: the c4hat service there does not answer, or its socket is not your user's: ssh %[1]s c4hat status says more", l.Host)
	case err != nil:
		return err
	case status.Machine.Version != version:
		return fmt.Errorf("here is c4hat %s, on %s %s: install the same version on both", version, l.Host, status.Machine.Version)
	}
	for {
		v, err := l.sit(at.ctx, at.client)
		if err == nil {
			hear()
			err = l.attach(at.ctx, at.client.Seated(l.token), v)
		}
		if errors.Is(err, game.ErrNoSeat) { // the service was restarted, or has since opened the seat
			l.token, err = "", nil
		}
		if err != nil {
			return err
		}
	}
}

// leave gives the seat back, if the line is still there. Otherwise the service opens the seat later.
func (l *Link) leave(at *line) {
	select {
	case <-at.ended:
	default:
		ctx, cancel := context.WithTimeout(context.WithoutCancel(at.ctx), endTime)
		defer cancel()
		if l.token != "" {
			_, _ = at.client.Seated(l.token).Do(ctx, game.Leave{})
		}
		at.client.Close()
	}
}

// sit takes the seat in the match there. For the link's first match, there must be one.
func (l *Link) sit(ctx context.Context, there *socket.Client) (game.View, error) {
	v, err := there.Do(ctx, game.Tick{})
	switch {
	case err != nil:
		return v, err
	case !l.begun && (!v.UnderWay || l.Match.Force):
		l.Match.Take.Player = l.Play
		seated, err := there.Start(ctx, api.RequestFor(l.Match))
		if err != nil {
			return v, fmt.Errorf("on %s: %w", l.Host, err)
		}
		l.token = seated.Token
		if v, err = there.View(seated.State); err != nil {
			return v, err
		}
	case !v.UnderWay:
		l.token = ""
		l.Tell("linked with " + l.Host + ": start a match on either HAT")
		return v, nil
	case l.token == "":
		seated, err := there.TakeSeat(ctx, api.SeatRequest{Seat: v.Match.Rules().Name(l.Play)})
		if err != nil && !l.begun {
			return v, fmt.Errorf("the match on %s: %w: end it, or replace it with --force", l.Host, err)
		}
		l.token = seated.Token // if somebody else has the seat, this HAT watches
	}
	l.begun = true
	l.Tell("linked with " + l.Host)
	return v, nil
}

// attach shows the match on the HAT here, until another one begins or the seat is lost with the match.
func (l *Link) attach(ctx context.Context, s session.Session, v game.View) error {
	over := session.Terms{Until: func(now game.View) bool { return !now.Lost && (now.UnderWay != v.UnderWay || now.ID != v.ID) }}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if l.Front != nil {
		go func() {
			if _, err := session.Attach(ctx, s, l.Front, over); err != nil {
				cancel(err)
			}
		}()
	}
	_, err := session.Attach(ctx, s, l.hat, over)
	return err
}

// holdEvery is the shortest time between two repeats of a held key.
const holdEvery = 150 * time.Millisecond

// front is the HAT here.
type front struct {
	*socket.HAT
	last     atomic.Pointer[game.View]
	repeated time.Time
}

// Show shows a view. If it may be out of date, it is dimmed.
func (f *front) Show(v game.View) error {
	f.last.Store(&v)
	if v.Lost {
		return f.lose()
	}
	return f.HAT.Show(v)
}

// lose dims the last view.
func (f *front) lose() error {
	var v game.View
	if last := f.last.Load(); last != nil {
		v = *last
	}
	for i, led := range v.Frame {
		v.Frame[i] = led.Dimmed()
	}
	return f.HAT.Show(v)
}

// Next waits for the joystick's next key. A held key moves the cursor, but not over the edge.
func (f *front) Next(ctx context.Context) (game.Event, error) {
	for {
		ev, err := f.HAT.Next(ctx)
		k, _ := ev.(game.Press)
		if err != nil || k.Action == game.Pressed {
			return ev, err
		}
		v := f.last.Load()
		if k.Action == game.Released || v == nil || time.Since(f.repeated) < holdEvery ||
			!(k.Key == game.Left && v.Cursor > 0 || k.Key == game.Right && v.Cursor < v.Match.Rules().Columns-1) {
			continue
		}
		f.repeated = time.Now()
		return game.Press{Key: k.Key}, nil
	}
}
