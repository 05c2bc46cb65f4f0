package hatpanel

import (
	"context"
	"errors"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"golang.org/x/time/rate"
)

const (
	returnAfter = 2 * time.Second // for which somebody holds up
	pictureRate = 60              // per second; more would only keep the bus busy
)

// ErrInUse says that the HAT cannot be lent.
var ErrInUse = errors.New("the HAT is in use: a match is under way, somebody is in the menu, or another program has borrowed it")

// Loan is the HAT in another program's hands: another source of pictures, and another receiver of keys. It
// ends with its context, without a picture for the idle time, when somebody holds up for two seconds, or
// when a match or a menu begins. Then the HAT shows the game again.
type Loan struct {
	keys    chan game.Press
	pace    *rate.Limiter
	front   *Front
	ctx     context.Context
	end     context.CancelFunc
	picture *Frame      // nil: the HAT still shows the game; guarded as the front's matrix is
	idle    *time.Timer // since the last picture
	up      *time.Timer // since up is held; only Front.Next uses it
}

// Borrow lends the HAT. The error may be [ErrInUse].
func (f *Front) Borrow(ctx context.Context) (*Loan, error) {
	l := &Loan{keys: make(chan game.Press, 64), pace: rate.NewLimiter(pictureRate, 1), front: f}
	l.ctx, l.end = context.WithCancel(ctx)
	l.up, l.idle = time.AfterFunc(returnAfter, l.end), time.AfterFunc(returnAfter, l.end)
	l.up.Stop()
	l.idle.Stop()
	f.do(func() {
		if f.lent.Load() == nil && lendable(&f.view) {
			f.lent.Store(l)
			l.stay()
		}
	})
	if f.lent.Load() != l {
		l.end()
		return nil, ErrInUse
	}
	context.AfterFunc(l.ctx, func() {
		f.do(func() {
			if f.lent.CompareAndSwap(l, nil) {
				f.draw(false)
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

// Done is closed when the loan has ended.
func (l *Loan) Done() <-chan struct{} { return l.ctx.Done() }

// Show shows a picture of linear values from 0 to 255, at the HAT's brightness. It waits if the last picture
// came less than a 60th of a second before.
func (l *Loan) Show(picture Frame) {
	f := l.front
	_ = l.pace.Wait(l.ctx) // if the loan ends meanwhile, nothing is shown
	f.do(func() {
		if f.lent.Load() != l {
			return
		}
		dark := !f.lit()
		l.picture = &picture
		l.stay()
		f.draw(dark)
	})
}

// stay keeps the loan for the idle time.
func (l *Loan) stay() {
	l.idle.Stop()
	if idle := l.front.look.Idle; idle > 0 {
		l.idle.Reset(idle)
	}
}

// press passes a key to the borrower.
func (l *Loan) press(p game.Press) {
	switch {
	case p.Key != game.Up || p.Action == game.Held:
	case p.Action == game.Pressed:
		l.up.Reset(returnAfter)
	default:
		l.up.Stop()
	}
	select {
	case l.keys <- p:
	default:
	}
}
