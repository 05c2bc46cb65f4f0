// Package hatpanel is the front of the Sense HAT: it shows a view's frame on the LEDs, and turns presses
// of the joystick into events. No other package chooses colours for the game.
package hatpanel

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/game"
)

const (
	retryEvery  = time.Second
	patience    = 15 * time.Second      // until a missing device is logged: at boot udev is slow
	repeatAfter = 50 * time.Millisecond // after a view, for a transfer that was lost
	repeatEvery = 15 * time.Second      // while lit
	darkTimeout = 50 * time.Millisecond // a stuck bus must not keep the program from exiting
)

// Devices are functions that open the two devices of a HAT, such as those of package hat.
type Devices struct {
	Matrix   func() (*hat.Matrix, error)
	Joystick func() (*hat.Joystick, error)
}

// Look says how the picture is shown.
type Look struct {
	Colours *Colours
	Degrees int // as of hat.Matrix.Rotate

	// Sense reads the sensors, which replace Colours and Degrees even with an error. It is called when the
	// LEDs light up, and not while they are lit: a bump against the table must not turn the picture. Sense may
	// be nil.
	Sense func() (degrees int, colours *Colours, err error)

	Idle time.Duration // after which a [Loan] without a picture ends; 0: never
}

// Front is a Sense HAT as a session.Panel. It opens the matrix and then the joystick, so that two programs do not
// get one each. While one of them is missing or fails, it tries again each second.
type Front struct {
	log *slog.Logger

	ctx    context.Context
	cancel context.CancelFunc
	opened chan *hat.Joystick   // for Next
	lent   atomic.Pointer[Loan] // nil: the HAT shows the game

	// Only Next uses these.
	reading  *hat.Joystick
	borrower *Loan // to whom the last key belongs; nil: to the game

	busy     chan struct{} // holds one while the rest is used; unlike a mutex, Close does not wait for ever for it
	matrix   device[*hat.Matrix]
	joystick device[*hat.Joystick]
	view     game.View
	look     *Look
	tried    time.Time   // when the devices were last opened
	wake     *time.Timer // when to look after the devices; it is stopped while they are there and dark
}

// New starts the front of a HAT. At first it shows an hourglass: at boot the disk is slow.
func New(d Devices, look Look, log *slog.Logger) *Front {
	f := &Front{
		look: &look, log: log, opened: make(chan *hat.Joystick, 1), busy: make(chan struct{}, 1),
		matrix:   device[*hat.Matrix]{what: "matrix", open: d.Matrix},
		joystick: device[*hat.Joystick]{what: "joystick", open: d.Joystick},
		view:     game.View{Frame: game.Starting()},
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
		dark := !f.lit()
		f.view = v
		if l := f.lent.Load(); l != nil && !lendable(&v) {
			f.lent.Store(nil)
			l.end()
		}
		f.draw(dark)
	})
	return nil
}

// Next waits for the joystick's next event. A wait for a key ends with the front, not with the context. A key
// belongs to the borrower or the game until it is released.
func (f *Front) Next(ctx context.Context) (game.Event, error) {
	for {
		if f.reading == nil {
			select {
			case f.reading = <-f.opened:
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			case <-f.ctx.Done():
				return nil, context.Canceled
			}
		}
		ev, err := f.reading.ReadEvent()
		if err != nil {
			f.reading = nil
			f.do(func() {
				_ = f.joystick.close(err) // nothing was written
				f.later()
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
		if !f.sense() {
			f.turn()
		}
	})
}

// Present reports whether the matrix and the joystick are open.
func (f *Front) Present() (matrix, joystick bool) {
	return f.matrix.there.Load(), f.joystick.there.Load()
}

// Close turns the LEDs off and closes the devices.
func (f *Front) Close() {
	f.cancel()
	select {
	case f.busy <- struct{}{}:
		if err := f.matrix.close(context.Canceled); err != nil && !errors.Is(err, hat.ErrGone) {
			f.log.Error("the LEDs could not be turned off", "reason", err)
		}
		_ = f.joystick.close(context.Canceled)
		f.wake.Stop()
		<-f.busy
	case <-time.After(darkTimeout):
		f.log.Error("the matrix is stuck: its LEDs may stay lit")
	}
}

func (f *Front) lit() bool {
	return f.borrowed() != nil || f.view.Phase != game.Dark && f.view.Phase != game.Over
}

// draw shows the picture, and reads the sensors if the LEDs were dark. Soon it is written again.
func (f *Front) draw(dark bool) {
	frame := f.look.Colours.Frame(&f.view.Frame)
	if picture := f.borrowed(); picture != nil {
		frame = f.look.Colours.Picture(picture)
	}
	f.write(func(m *hat.Matrix) error { return m.WriteFrame(&frame) })
	if f.complete() {
		f.wake.Reset(repeatAfter)
	}
	if dark {
		f.sense()
	}
}

// write closes a matrix that fails.
func (f *Front) write(do func(*hat.Matrix) error) {
	if f.matrix.there.Load() {
		if err := do(f.matrix.handle); err != nil {
			_ = f.matrix.close(err)
			f.later()
		}
	}
}

// later looks after a device that has been closed, but not twice in a second.
func (f *Front) later() { f.wake.Reset(max(0, retryEvery-time.Since(f.tried))) }

func (f *Front) complete() bool { return f.matrix.there.Load() && f.joystick.there.Load() }

// keep writes the picture again, because another program may have changed it, or the HAT was put back, and the
// driver reports neither. Then it opens what is missing, and says in the log what was there for a second.
func (f *Front) keep() {
	f.write((*hat.Matrix).Refresh)
	if since := time.Since(f.tried); since < retryEvery {
		f.wake.Reset(retryEvery - since)
		return
	}
	f.matrix.tell(f.log)
	if f.matrix.there.Load() {
		f.joystick.tell(f.log)
	}
	switch {
	case !f.complete():
		f.open()
		f.wake.Reset(retryEvery)
	case f.lit():
		f.wake.Reset(repeatEvery)
	}
}

// open opens what is missing.
func (f *Front) open() {
	f.tried = time.Now()
	if f.matrix.try() {
		f.rotate()
		f.draw(true)
	}
	if f.matrix.there.Load() && f.joystick.try() {
		f.rotate()
		f.opened <- f.joystick.handle
	}
}

// sense reads the sensors once, if the LEDs are lit. The picture does not wait for them. sense returns false
// if there is nothing to read.
func (f *Front) sense() bool {
	was := f.look
	if !f.lit() || !f.matrix.there.Load() || was.Sense == nil {
		return false
	}
	go func() {
		l := *was
		var err error
		if l.Degrees, l.Colours, err = l.Sense(); err != nil {
			f.log.Warn("the picture cannot follow a sensor", "reason", err)
		}
		f.do(func() {
			if f.look == was { // nobody has changed it since
				f.look = &l
				f.turn()
			}
		})
	}()
	return true
}

// turn shows the picture as the look says.
func (f *Front) turn() {
	f.rotate()
	f.draw(false)
}

// rotate rotates the devices that are there.
func (f *Front) rotate() {
	if f.joystick.there.Load() {
		_ = f.joystick.handle.Rotate(f.look.Degrees) // it fails only if the angle is wrong
	}
	f.write(func(m *hat.Matrix) error { return m.Rotate(f.look.Degrees) })
}

// device is the matrix or the joystick, and what the log tells about it.
type device[T io.Closer] struct {
	what   string
	open   func() (T, error)
	there  atomic.Bool // handle is open
	handle T
	reason error     // why it is not
	since  time.Time // when it was first missing; zero: it is there
	told   string    // the last line in the log
}

// try opens a device that is not open.
func (d *device[T]) try() bool {
	if d.there.Load() {
		return false
	}
	d.handle, d.reason = d.open()
	d.there.Store(d.reason == nil)
	return d.reason == nil
}

// close closes a device that is open.
func (d *device[T]) close(why error) error {
	if !d.there.Swap(false) {
		return nil
	}
	d.reason = why
	return d.handle.Close()
}

// tell logs a change, but that a device is missing only if it stays away.
func (d *device[T]) tell(log *slog.Logger) {
	here, gone := "the "+d.what+" is there", "waiting for the "+d.what
	switch now := time.Now(); {
	case d.there.Load():
		d.since = time.Time{}
		if d.told != here {
			d.told = here
			log.Info(here, "device", d.handle)
		}
	case d.since.IsZero():
		d.since = now
	case now.Sub(d.since) >= patience && d.told != gone:
		d.told = gone
		log.Warn(gone, "reason", d.reason, "more", "c4hat doctor")
	}
}
