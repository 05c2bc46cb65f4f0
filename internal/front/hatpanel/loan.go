package hatpanel

import (
	"context"
	"errors"
	"time"

	"github.com/c4hat/c4hat/internal/front/light"
	"github.com/c4hat/c4hat/internal/game"
)

const (
	pictureEvery = time.Second / 60
	returnAfter  = 2 * time.Second // for which somebody holds up
)

// ErrInUse says that the HAT cannot be lent.
var ErrInUse = errors.New("the HAT is in use: a match is under way, somebody is in the menu, or another program has borrowed it")

// Loan is the HAT in another program's hands. It ends with its context, without a picture for the idle time,
// when somebody holds up for two seconds, or when a match or a menu begins. Then the HAT shows the game again.
type Loan struct {
	keys  chan game.Press
	front *Front
	ctx   context.Context
	end   context.CancelFunc

	// Only the front's goroutine uses these.
	picture *light.Frame // nil: the HAT still shows the game
	due     time.Time    // when to draw the picture; zero: it is drawn
	drawn   time.Time
	idle    time.Time // when the loan ends without another picture; zero: never

	up *time.Timer // since up is held; only Front.Next uses it
}

// Borrow lends the HAT. The error may be [ErrInUse].
func (f *Front) Borrow(ctx context.Context) (*Loan, error) {
	l := &Loan{keys: make(chan game.Press, 64), front: f, up: time.NewTimer(returnAfter)}
	l.up.Stop()
	l.ctx, l.end = context.WithCancel(ctx)
	lent := false
	done := f.tell(func() {
		if lent = f.loan == nil && lendable(&f.view); lent {
			f.loan = l
			f.lent.Store(l)
			l.stay()
		}
	})
	if !done || !lent {
		l.end()
		return nil, ErrInUse
	}
	return l, nil
}

// tell lets the front's goroutine call a function. It returns false if the front is closed.
func (f *Front) tell(what func()) bool {
	done := make(chan struct{})
	select {
	case f.calls <- func() { what(); close(done) }:
		<-done
		return true
	case <-f.ctx.Done():
		return false
	}
}

// lendable reports whether nobody uses the HAT.
func lendable(v *game.View) bool {
	return !v.UnderWay && (v.Phase == game.Attract || v.Phase == game.Dark)
}

// Keys returns the joystick's events. A borrower who does not read them misses some.
func (l *Loan) Keys() <-chan game.Press { return l.keys }

// Done is closed when the loan has ended.
func (l *Loan) Done() <-chan struct{} { return l.ctx.Done() }

// Show shows a picture of linear values from 0 to 255, at the HAT's brightness. Of pictures that come faster
// than sixty a second, some are left out, but not the last.
func (l *Loan) Show(picture light.Frame) {
	l.front.tell(func() {
		lit := l.front.lit()
		l.picture = &picture
		l.stay()
		if l.due.IsZero() {
			l.due = l.drawn.Add(pictureEvery)
		}
		if !lit {
			l.front.sense()
		}
	})
}

// stay keeps the loan for the idle time.
func (l *Loan) stay() {
	if idle := l.front.look.Idle; idle > 0 {
		l.idle = time.Now().Add(idle)
	}
}

// borrowed returns the borrower's picture, or nil.
func (f *Front) borrowed() *light.Frame {
	if f.loan == nil {
		return nil
	}
	return f.loan.picture
}

// press passes a key to the borrower.
func (l *Loan) press(p game.Press) {
	switch {
	case p.Key != game.Up || p.Action == game.Held:
	case p.Action == game.Pressed:
		l.up = time.AfterFunc(returnAfter, l.end)
	default:
		l.up.Stop()
	}
	select {
	case l.keys <- p:
	default:
	}
}

// pass draws the loan's picture or ends the loan, if it is time.
func (f *Front) pass(now time.Time) {
	l := f.loan
	if l == nil {
		return
	}
	if !l.due.IsZero() && !now.Before(l.due) {
		l.due, l.drawn = time.Time{}, now
		f.draw()
	}
	if !l.idle.IsZero() && !now.Before(l.idle) {
		l.end()
	}
}

// returned is closed when the loan, if there is one, has ended.
func (f *Front) returned() <-chan struct{} {
	if f.loan == nil {
		return nil
	}
	return f.loan.Done()
}

// takeBack ends the loan, if there is one.
func (f *Front) takeBack() {
	if f.loan != nil {
		f.loan.end()
		f.loan = nil
		f.lent.Store(nil)
	}
}
