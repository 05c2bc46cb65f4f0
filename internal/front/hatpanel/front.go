// Package hatpanel is the front of the Sense HAT: it shows a view's frame on the LEDs, and turns presses of the
// joystick into events. No other package chooses the colours of the LEDs.
package hatpanel

import (
	"cmp"
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/game"
)

const (
	retryEvery  = time.Second
	patience    = 15                    // seconds until a missing device is logged: at boot udev is slow
	repeatAfter = 50 * time.Millisecond // after a view, for a transfer that was lost
	repeatEvery = 15 * time.Second      // while lit
	returnAfter = 2 * time.Second       // for which somebody holds up who takes a lent HAT back
	pictureRate = 60                    // of a lent HAT per second; more would only keep the bus busy
	darkTimeout = 50 * time.Millisecond // a stuck bus must not keep the program from exiting
)

// Look says how the picture is shown.
type Look struct {
	Colours *Colours
	Degrees int           // as of hat.Matrix.Rotate
	Idle    time.Duration // without a picture, after which a lent HAT goes back

	// Sense, unless it is nil, returns the look by the sensors, even with an error. It is called when the LEDs light
	// up, and not while they are lit: a bump against the table must not turn the picture.
	Sense func() (Look, error)
}

// Front is a Sense HAT as a session.Panel. It opens the matrix and then the joystick, so that two programs do not get
// one each. While one of them is missing or fails, it tries again each second.
type Front struct {
	openMatrix   func() (*hat.Matrix, error)
	openJoystick func() (*hat.Joystick, error)
	log          *slog.Logger

	ctx      context.Context
	cancel   context.CancelFunc
	matrix   atomic.Pointer[hat.Matrix]   // nil: it is not open
	joystick atomic.Pointer[hat.Joystick] // nil: it is not open
	opened   chan *hat.Joystick           // for Next
	lent     atomic.Pointer[Loan]         // nil: the HAT shows the game

	// Only Next uses these.
	reading  *hat.Joystick
	borrower *Loan // to whom the last key belongs; nil: to the game

	busy  chan struct{} // holds one while the rest is used; unlike a mutex, Close does not wait for ever for it
	view  game.View
	look  *Look
	shone bool        // the LEDs were lit when they were last drawn
	tried time.Time   // when the devices were last opened
	wake  *time.Timer // when to look after the devices; it is stopped while they are there and dark
	why   error       // the last failure of a device
	away  int         // for how many seconds a device has been missing
	told  bool        // the log says that the HAT is there
}

// New starts the front of a HAT. At first it shows an hourglass: at boot the disk is slow.
func New(matrix func() (*hat.Matrix, error), joystick func() (*hat.Joystick, error), l Look, log *slog.Logger) *Front {
	f := &Front{
		openMatrix: matrix, openJoystick: joystick, look: &l, log: log, view: game.View{Frame: game.Starting()},
		opened: make(chan *hat.Joystick, 1), busy: make(chan struct{}, 1),
	}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	f.do(func() { f.wake = time.AfterFunc(0, func() { f.do(f.keep) }) })
	return f
}

// do calls a function that uses the devices, unless the front is closed.
func (f *Front) do(what func()) {
	select {
	case f.busy <- struct{}{}:
		defer func() { <-f.busy }()
		if f.ctx.Err() == nil {
			what()
		}
	case <-f.ctx.Done():
	}
}

// Show shows the view's frame. Without a matrix, the front keeps the frame until there is one.
func (f *Front) Show(v game.View) error {
	f.do(func() {
		f.view = v
		if l := f.lent.Load(); l != nil && !lendable(&v) {
			f.lent.Store(nil)
			l.end()
		}
		f.draw()
	})
	return nil
}

// Next waits for the joystick's next event, until the front is closed. A key belongs to the borrower or the game until
// it is released.
func (f *Front) Next(context.Context) (game.Event, error) {
	for {
		if f.reading == nil {
			select {
			case f.reading = <-f.opened:
			case <-f.ctx.Done():
				return nil, context.Canceled
			}
		}
		ev, err := f.reading.ReadEvent()
		if err != nil {
			f.reading = nil
			f.do(func() {
				_ = f.joystick.Swap(nil).Close() // nothing was written
				f.failed(err)
			})
			continue
		}
		press := game.Press{Key: gameKeys[ev.Key], Action: gameActions[ev.Action]}
		if press.Action == game.Pressed {
			f.borrower = f.lent.Load()
		}
		if f.borrower == nil {
			return press, nil
		}
		f.borrower.press(press)
	}
}

var (
	gameKeys    = [...]game.Key{hat.Up: game.Up, hat.Down: game.Down, hat.Left: game.Left, hat.Right: game.Right, hat.Middle: game.Middle}
	gameActions = [...]game.Action{hat.Press: game.Pressed, hat.Hold: game.Held, hat.Release: game.Released}
)

// Change changes how the picture is shown.
func (f *Front) Change(l Look) {
	f.do(func() {
		f.look = &l
		f.sense()
	})
}

// Present reports whether the matrix and the joystick are open.
func (f *Front) Present() (matrix, joystick bool) {
	return f.matrix.Load() != nil, f.joystick.Load() != nil
}

// Close turns the LEDs off and closes the devices.
func (f *Front) Close() {
	f.cancel()
	select {
	case f.busy <- struct{}{}:
		f.wake.Stop()
		if m := f.matrix.Swap(nil); m != nil {
			if err := m.Close(); err != nil {
				f.log.Error("the LEDs could not be turned off", "reason", err)
			}
		}
		if j := f.joystick.Swap(nil); j != nil {
			_ = j.Close()
		}
		<-f.busy
	case <-time.After(darkTimeout):
		f.log.Error("the matrix is stuck: its LEDs may stay lit")
	}
}

func (f *Front) lit() bool {
	return f.borrowed() != nil || f.view.Phase != game.Dark && f.view.Phase != game.Over
}

// draw shows the picture, and soon writes it again. If the LEDs light up, it reads the sensors.
func (f *Front) draw() {
	frame := f.look.Colours.Frame(&f.view.Frame)
	if picture := f.borrowed(); picture != nil {
		frame = f.look.Colours.Picture(picture)
	}
	if j := f.joystick.Load(); j != nil {
		_ = j.Rotate(f.look.Degrees) // it fails only if the angle is wrong
	}
	f.write(func(m *hat.Matrix) error { return cmp.Or(m.Rotate(f.look.Degrees), m.WriteFrame(&frame)) })
	if f.complete() {
		f.wake.Reset(repeatAfter)
	}
	shone := f.shone
	if f.shone = f.lit() && f.matrix.Load() != nil; f.shone && !shone && f.look.Sense != nil {
		f.sense()
	}
}

// write closes a matrix that fails.
func (f *Front) write(do func(*hat.Matrix) error) {
	if m := f.matrix.Load(); m != nil {
		if err := do(m); err != nil {
			f.matrix.Store(nil)
			_ = m.Close()
			f.failed(err)
		}
	}
}

// failed looks after a device that has been closed, but not twice in a second.
func (f *Front) failed(why error) {
	f.why = why
	f.wake.Reset(max(0, retryEvery-time.Since(f.tried)))
}

func (f *Front) complete() bool { return f.matrix.Load() != nil && f.joystick.Load() != nil }

// keep writes the picture again, because another program may have changed it, or the HAT was put back, and the driver
// reports neither. Then it opens what is missing. It says in the log what was there for a second, or stays away.
func (f *Front) keep() {
	f.write((*hat.Matrix).Refresh)
	if since := time.Since(f.tried); since < retryEvery {
		f.wake.Reset(retryEvery - since)
		return
	}
	if !f.complete() {
		if f.away == patience {
			f.told = false
			f.log.Warn("waiting for the HAT", "reason", f.why, "more", "c4hat doctor")
		}
		f.away++
		f.open()
		f.wake.Reset(retryEvery)
		return
	}
	if f.away = 0; !f.told {
		f.told = true
		f.log.Info("the HAT is there", "matrix", f.matrix.Load(), "joystick", f.joystick.Load())
	}
	if f.lit() {
		f.wake.Reset(repeatEvery)
	}
}

// open opens what is missing.
func (f *Front) open() {
	f.tried = time.Now()
	if m := f.matrix.Load(); m == nil {
		if m, f.why = f.openMatrix(); f.why != nil {
			return
		}
		f.matrix.Store(m)
		f.draw()
	}
	if j := f.joystick.Load(); j == nil && f.matrix.Load() != nil {
		if j, f.why = f.openJoystick(); f.why != nil {
			return
		}
		f.joystick.Store(j)
		f.draw()
		f.opened <- j
	}
}

// sense draws by the sensors, which it reads once, if there are any. Nothing waits for them.
func (f *Front) sense() {
	was := f.look
	if was.Sense == nil {
		f.draw()
		return
	}
	go func() {
		l, err := was.Sense()
		if err != nil {
			f.log.Warn("the picture cannot follow a sensor", "reason", err)
		}
		f.do(func() {
			if f.look == was { // nobody has changed it since
				f.look = &l
				f.draw()
			}
		})
	}()
}
