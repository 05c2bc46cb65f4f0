package hatpanel

import (
	"context"
	"errors"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"golang.org/x/time/rate"
)

// ErrInUse says that the HAT cannot be lent.
var ErrInUse = errors.New("the HAT is in use, at the joystick or by another program")

// Loan is the HAT in another program's hands. It ends with its context, without a picture for the idle time, when
// somebody holds up for two seconds, or when a match or a menu begins. Then the HAT shows the game again.
type Loan struct {
	context.Context // ends with the loan

	end     context.CancelFunc
	front   *Front
	keys    chan game.Press
	picture *Frame      // nil: the HAT still shows the game; guarded by the front's busy
	up      *time.Timer // since up is held; only Front.Next uses it
	idle    *time.Timer // since the last picture
	pace    *rate.Limiter
}

// Borrow lends the HAT. The error may be [ErrInUse].
func (f *Front) Borrow(ctx context.Context) (*Loan, error) {
	l := &Loan{keys: make(chan game.Press, 64), front: f, pace: rate.NewLimiter(pictureRate, 1)}
	l.Context, l.end = context.WithCancel(ctx)
	f.do(func() {
		if lendable(&f.view) && f.lent.CompareAndSwap(nil, l) {
			l.idle = time.AfterFunc(f.look.Idle, l.end)
		}
	})
	if f.lent.Load() != l {
		l.end()
		return nil, ErrInUse
	}
	context.AfterFunc(l, func() {
		l.idle.Stop()
		f.do(func() {
			if f.lent.CompareAndSwap(l, nil) {
				f.draw()
			}
		})
	})
	return l, nil
}

// lendable reports whether nobody uses the HAT.
func lendable(v *game.View) bool {
	return !v.UnderWay && (v.Phase == game.Attract || v.Phase == game.Dark)
}

// borrowed returns the borrower's picture, or nil.
func (f *Front) borrowed() *Frame {
	if l := f.lent.Load(); l != nil {
		return l.picture
	}
	return nil
}

// Keys returns the joystick's events. A borrower who does not read them misses some.
func (l *Loan) Keys() <-chan game.Press { return l.keys }

// Show shows a picture of linear values from 0 to 255, at the HAT's brightness.
func (l *Loan) Show(picture Frame) {
	_ = l.pace.Wait(l) // if the loan ends meanwhile, nobody sees the picture
	l.front.do(func() {
		l.picture = &picture
		l.idle.Reset(l.front.look.Idle)
		l.front.draw()
	})
}

// press passes a key to the borrower.
func (l *Loan) press(p game.Press) {
	switch {
	case p.Key != game.Up || p.Action == game.Held:
	case p.Action == game.Pressed:
		l.up = time.AfterFunc(returnAfter, l.end)
	case l.up != nil:
		l.up.Stop()
	}
	select {
	case l.keys <- p:
	default:
	}
}
