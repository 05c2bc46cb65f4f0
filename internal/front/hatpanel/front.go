// Package hatpanel is the front of the Sense HAT: it shows a view's frame on the LEDs, and turns presses
// of the joystick into events.
package hatpanel

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/front/light"
	"github.com/c4hat/c4hat/internal/game"
)

const (
	retryEvery  = time.Second
	patience    = 15 * time.Second      // until a missing device is logged: at boot udev is slow
	repeatAfter = 50 * time.Millisecond // after a press: its own picture comes first
	repeatEvery = 15 * time.Second      // while lit
	darkTimeout = 50 * time.Millisecond // a stuck bus must not keep the program from exiting
)

// Devices are functions that open the two devices of a HAT, such as those of package hat.
type Devices struct {
	Matrix   func(*hat.Opts) (*hat.Matrix, error)
	Joystick func(*hat.Opts) (*hat.Joystick, error)
}

// Look says how the picture is shown. The sensors are read when the LEDs light up, and not while they are
// lit: a bump against the table must not turn the picture.
type Look struct {
	Colours *light.Colours
	Degrees int                             // as hat.Opts.Rotate
	Upright func() (degrees int, err error) // replaces Degrees; may be nil
	Room    func() (room float64, err error)
	Palette string // for the light of the Room, which replaces Colours; Room may be nil

	Idle time.Duration // after which a [Loan] without a picture ends; 0: never
}

// Front is a Sense HAT as a session.Panel. One goroutine opens the matrix and then the joystick, and
// tries again each second while one of them is missing or fails. So two programs do not get one each.
type Front struct {
	devices Devices
	opts    hat.Opts
	log     *slog.Logger
	screen  part
	keys    part

	ctx     context.Context
	cancel  context.CancelFunc
	ended   chan struct{}
	views   chan game.View
	opened  chan *hat.Joystick // for Next
	looks   chan Look
	sensed  chan func() // what a reading of the sensors changes
	pressed chan struct{}
	unread  chan error // the joystick failed
	calls   chan func()

	lent atomic.Pointer[Loan] // the loan, for Next

	// Only Next uses these.
	reading  *hat.Joystick
	borrower *Loan // to whom the last key belongs; nil: to the game

	// Only the goroutine uses these.
	matrix   *hat.Matrix
	joystick *hat.Joystick
	view     game.View
	look     Look
	loan     *Loan
	doubtful bool      // the joystick was lost, and perhaps the matrix with it
	retry    time.Time // when to look after the devices; zero: both are there
	repeat   time.Time // when to write the picture again; zero: never
}

// New starts the front of the HAT that the options name. At first it shows an hourglass: at boot the disk
// is slow.
func New(d Devices, o *hat.Opts, look Look, log *slog.Logger) *Front {
	f := &Front{
		devices: d, opts: *o, look: look, log: log, screen: part{what: "matrix"}, keys: part{what: "joystick"},
		ended: make(chan struct{}), views: make(chan game.View), opened: make(chan *hat.Joystick, 1), looks: make(chan Look),
		sensed: make(chan func()), pressed: make(chan struct{}, 1), unread: make(chan error), calls: make(chan func()), view: game.View{Frame: game.Starting()}, retry: time.Now(),
	}
	f.ctx, f.cancel = context.WithCancel(context.Background())
	go f.run()
	return f
}

// Show shows the view's frame. Without a matrix, the front keeps the frame until there is one.
func (f *Front) Show(v game.View) error {
	select {
	case f.views <- v:
	case <-f.ctx.Done():
	}
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
		select {
		case f.pressed <- struct{}{}: // the last key, whose picture is there
		default:
		}
		ev, err := f.reading.ReadEvent()
		if err != nil {
			f.reading = nil
			select {
			case f.unread <- err:
			case <-f.ctx.Done():
			}
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
	select {
	case f.looks <- l:
	case <-f.ctx.Done():
	}
}

// Present reports whether the matrix and the joystick are open.
func (f *Front) Present() (matrix, joystick bool) { return f.screen.open.Load(), f.keys.open.Load() }

// Close turns the LEDs off and closes the devices.
func (f *Front) Close() {
	f.cancel()
	select {
	case <-f.ended:
	case <-time.After(darkTimeout):
		f.log.Error("the matrix is stuck: its LEDs may stay lit")
	}
}

// run does one thing after the other. Nothing wakes it while both devices are there and the LEDs are
// dark.
func (f *Front) run() {
	defer close(f.ended)
	wake := time.NewTimer(0)
	for {
		select {
		case <-f.ctx.Done():
			f.closeMatrix(context.Canceled)
			f.closeJoystick(context.Canceled)
			return
		case v := <-f.views:
			dark := !f.lit()
			if f.view = v; !lendable(&v) {
				f.takeBack()
			}
			if f.borrowed() == nil {
				f.draw()
			}
			if dark {
				f.sense()
			}
		case l := <-f.looks:
			if l.Upright != nil {
				l.Degrees = f.look.Degrees
			}
			f.look = l
			f.turn()
			f.draw()
			f.sense()
		case change := <-f.sensed:
			change()
			f.draw()
		case call := <-f.calls:
			call()
		case <-f.returned():
			f.takeBack()
			f.draw()
		case <-f.pressed:
			f.repeat = time.Now().Add(repeatAfter)
		case err := <-f.unread:
			f.closeJoystick(err)
			f.doubtful = true
		case now := <-wake.C:
			if !f.retry.IsZero() && !now.Before(f.retry) {
				f.retry = time.Time{}
				f.open()
			}
			if !f.repeat.IsZero() && !now.Before(f.repeat) && f.matrix != nil {
				f.repeat = time.Time{}
				f.wrote(f.matrix.Refresh())
			}
			f.pass(now)
		}
		wake.Stop()
		if next := f.next(); !next.IsZero() {
			wake.Reset(time.Until(next))
		}
	}
}

// next returns when there is something to do; zero: not before something happens.
func (f *Front) next() (next time.Time) {
	all := []time.Time{f.retry}
	if f.matrix != nil {
		all = append(all, f.repeat)
	}
	if f.loan != nil {
		all = append(all, f.loan.due, f.loan.idle)
	}
	for _, t := range all {
		if !t.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	return next
}

func (f *Front) lit() bool {
	return f.borrowed() != nil || f.view.Phase != game.Dark && f.view.Phase != game.Over
}

// open says which devices are there, and opens the missing ones. What it opens is there if it still is
// a second later.
func (f *Front) open() {
	f.screen.tell(f.log)
	if f.matrix != nil {
		f.keys.tell(f.log)
	}
	if f.doubtful {
		f.doubtful = false
		f.closeMatrix(hat.ErrGone)
	}
	if f.matrix == nil {
		f.retry = time.Now().Add(retryEvery)
		f.opts.Rotate = f.look.Degrees
		var err error
		if f.matrix, err = f.devices.Matrix(&f.opts); f.screen.is(f.matrix, err) {
			f.draw()
			f.sense()
		}
	}
	if f.joystick == nil && f.matrix != nil {
		f.retry = time.Now().Add(retryEvery)
		f.opts.Rotate = f.look.Degrees
		var err error
		if f.joystick, err = f.devices.Joystick(&f.opts); f.keys.is(f.joystick, err) {
			f.opened <- f.joystick
		}
	}
}

// draw writes the picture, unless the LEDs show it already.
func (f *Front) draw() {
	if f.matrix != nil {
		frame := f.look.Colours.Frame(&f.view.Frame)
		if picture := f.borrowed(); picture != nil {
			frame = f.look.Colours.Picture(picture)
		}
		f.wrote(f.matrix.WriteFrame(&frame))
	}
}

// wrote closes a matrix that has failed, and has a lit picture repeated: another program may have
// changed it, or the HAT was put back, and the driver reports neither.
func (f *Front) wrote(err error) {
	switch {
	case err != nil:
		f.closeMatrix(err)
	case !f.lit():
		f.repeat = time.Time{}
	case f.repeat.IsZero():
		f.repeat = time.Now().Add(repeatEvery)
	}
}

func (f *Front) closeMatrix(why error) {
	if f.matrix == nil {
		return
	}
	if err := f.matrix.Close(); err != nil && f.ctx.Err() != nil && !errors.Is(err, hat.ErrGone) {
		f.log.Error("the LEDs could not be turned off", "reason", err)
	}
	f.matrix, f.retry = nil, time.Now().Add(retryEvery)
	f.screen.is(nil, why)
}

func (f *Front) closeJoystick(why error) {
	if f.joystick == nil {
		return
	}
	_ = f.joystick.Close() // nothing was written
	f.joystick, f.retry = nil, time.Now().Add(retryEvery)
	f.keys.is(nil, why)
}

// part is what the log tells about the matrix or the joystick.
type part struct {
	what   string
	open   atomic.Bool
	device any       // if it is open
	reason error     // if it is not
	since  time.Time // when it was first missing; zero: it is there
	told   string    // the last line in the log
}

// is notes whether the device is open. It returns err == nil.
func (p *part) is(device any, err error) bool {
	p.device, p.reason = device, err
	p.open.Store(err == nil)
	return err == nil
}

// tell logs a change, but that a device is missing only if it stays away.
func (p *part) tell(log *slog.Logger) {
	here, gone := "the "+p.what+" is there", "waiting for the "+p.what
	switch now := time.Now(); {
	case p.open.Load():
		p.since = time.Time{}
		if p.told != here {
			p.told = here
			log.Info(here, "device", p.device)
		}
	case p.since.IsZero():
		p.since = now
	case now.Sub(p.since) >= patience && p.told != gone:
		p.told = gone
		log.Warn(gone, "reason", p.reason, "more", "c4hat doctor")
	}
}

// turn rotates the picture and the joystick.
func (f *Front) turn() {
	if f.joystick != nil {
		_ = f.joystick.Rotate(f.look.Degrees) // it fails only if the angle is wrong
	}
	if f.matrix != nil {
		f.wrote(f.matrix.Rotate(f.look.Degrees))
	}
}

// sense reads the sensors once, if the LEDs are lit. The picture does not wait for them.
func (f *Front) sense() {
	if !f.lit() || f.matrix == nil {
		return
	}
	sense(f, "cannot rotate the picture automatically", f.look.Upright, func(degrees int) {
		f.look.Degrees = degrees
		f.turn()
	})
	sense(f, "the brightness does not follow the room", f.look.Room, func(room float64) {
		f.look.Colours = light.New(f.look.Palette, light.Brightness(room))
	})
}

func sense[T any](f *Front, failure string, ask func() (T, error), use func(T)) {
	if ask == nil {
		return
	}
	go func() {
		value, err := ask()
		if err != nil {
			f.log.Warn(failure, "reason", err)
			return
		}
		select {
		case f.sensed <- func() { use(value) }:
		case <-f.ctx.Done():
		}
	}()
}
