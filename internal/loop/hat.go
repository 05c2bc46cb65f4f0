package loop

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/light"
)

// HAT is a Sense HAT as a [Panel]. Its matrix and its joystick may be missing,
// taken by another process or unplugged at any time, each by itself: it waits for
// them and goes on when they are there. What happens to them is logged once.
type HAT struct {
	ctx    context.Context
	cancel context.CancelFunc
	opts   *hat.Opts
	log    *slog.Logger

	devices Devices

	// Paint gives the LEDs their colours. Set it before the panel is used; without it
	// they have those of the classic palette.
	Paint func(*game.Frame) light.Frame

	upright upright

	// owned is closed once the matrix is ours. Until then another program may be
	// about to take the HAT: one that held the joystick would keep it from that.
	owned chan struct{}

	mu      sync.Mutex // the four below
	rotate  int        // since Rotate; -1: as the options say
	matrix  *hat.Matrix
	unwatch context.CancelFunc // of the matrix
	stick   *hat.Stick

	closing sync.WaitGroup // of the joystick

	// showing is held by the goroutine that shows, with the four below. It is a
	// channel of one place since a test's clock (testing/synctest) takes a
	// goroutine that waits for a Mutex for a busy one.
	showing    chan struct{}
	last       game.View
	shown      light.Frame
	complained time.Time
	screen     outage

	// Of the goroutine that listens.
	down game.Key // pressed, and not yet released
	keys outage
}

// NewHAT gives a panel for the HAT that the options name. A matrix or a joystick
// that is open already is used first, and closed with the panel; nil is waited
// for.
func NewHAT(o *hat.Opts, m *hat.Matrix, s *hat.Stick, log *slog.Logger) *HAT {
	return NewHATOf(kernel{}, o, m, s, log)
}

// NewHATOf is NewHAT for a HAT that is not one of this machine's kernel, such as the
// emulator or one in memory.
func NewHATOf(d Devices, o *hat.Opts, m *hat.Matrix, s *hat.Stick, log *slog.Logger) *HAT {
	ctx, cancel := context.WithCancel(context.Background())
	h := &HAT{
		ctx: ctx, cancel: cancel, opts: o, log: log, stick: s,
		owned: make(chan struct{}), showing: make(chan struct{}, 1),
		rotate: -1, devices: d, Paint: light.New(light.Classic, light.Full).Frame,
		screen: outage{what: "matrix"}, keys: outage{what: "joystick"},
	}
	if m != nil {
		h.matrix = m
		close(h.owned)
		h.watch(m)
		h.seen(true)
	}
	return h
}

// Show writes the view's frame, or the one that is on the LEDs already once more.
// Without a matrix it waits for one: the loop has the latest view then. Its errors
// are those of the first opening that no waiting mends.
func (h *HAT) Show(v game.View, again bool) error {
	h.follow(v.Phase)
	h.showing <- struct{}{}
	defer func() { <-h.showing }()
	return h.show(v, again)
}

// show is Show with showing held.
func (h *HAT) show(v game.View, again bool) error {
	h.last = v
	for {
		m, err := h.openMatrix()
		if err != nil {
			return err
		}
		frame := h.Paint(&h.last.Frame)
		if again && m.RestoreGamma() {
			h.complain("the gamma table of the matrix is restored", errors.New("another program had changed it"))
		}
		if again && frame == h.shown {
			err = m.Rewrite()
		} else {
			err = m.WriteFrame(&frame)
		}
		h.shown = frame
		if !errors.Is(err, hat.ErrGone) {
			if err != nil && h.ctx.Err() == nil {
				h.complain("a frame was not shown", err)
			}
			return nil
		}
		h.closeMatrix()
		if !h.lost(&h.screen, err) {
			return h.ctx.Err()
		}
	}
}

// complain logs what may happen again with every frame, at most once a minute.
func (h *HAT) complain(what string, err error) {
	if now := time.Now(); h.complained.IsZero() || now.Sub(h.complained) >= time.Minute {
		h.complained = now
		h.log.Warn(what, "reason", err)
	}
}

// Next waits for the joystick's next event, and for a joystick.
func (h *HAT) Next(ctx context.Context) (game.Event, error) {
	defer context.AfterFunc(ctx, h.hangUp)()
	for {
		s, err := h.openStick()
		if err != nil {
			return nil, err
		}
		ev, err := s.ReadEvent()
		switch {
		case err == nil:
			press := game.Press{Key: gameKey(ev.Key), Action: gameAction(ev.Action)}
			h.down = press.Key
			if press.Action == game.Released {
				h.down = 0
			}
			return press, nil
		case h.ctx.Err() != nil:
			return nil, context.Canceled
		}
		if !errors.Is(err, hat.ErrGone) {
			return nil, err
		}
		h.closeStick()
		if !h.lost(&h.keys, err) {
			return nil, context.Canceled
		}
		if h.down != 0 { // nobody holds a key of a joystick that is gone
			released := game.Press{Key: h.down, Action: game.Released}
			h.down = 0
			return released, nil
		}
	}
}

func gameKey(k hat.Key) game.Key {
	switch k {
	case hat.Up:
		return game.Up
	case hat.Down:
		return game.Down
	case hat.Left:
		return game.Left
	case hat.Right:
		return game.Right
	}
	return game.Middle
}

func gameAction(a hat.Action) game.Action {
	switch a {
	case hat.Hold:
		return game.Held
	case hat.Release:
		return game.Released
	}
	return game.Pressed
}

// hangUp ends a Show and a Next that wait.
func (h *HAT) hangUp() {
	h.cancel()
	h.closeStick()
}

// darkness is how long Close waits for the LEDs to take their last frame: a bus
// that is stuck must not keep the program alive.
const darkness = 50 * time.Millisecond

// Close leaves the LEDs dark and lets the devices go.
func (h *HAT) Close() {
	h.cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		h.closeMatrix()
	}()
	h.closeStick()
	h.closing.Wait() // hangUp may be at it
	select {
	case <-done:
	case <-time.After(darkness):
		h.log.Error("the matrix is stuck: its LEDs may stay lit")
	}
}

// Rotate turns the picture and the joystick from now on, by 0, 90, 180 or 270 degrees,
// see [hat.Opts]. It waits for a matrix that is stuck.
func (h *HAT) Rotate(degrees int) {
	h.mu.Lock()
	h.rotate = degrees
	m, s := h.matrix, h.stick
	h.mu.Unlock()
	if s != nil {
		_ = s.Rotate(degrees)
	}
	if m != nil {
		_ = m.Rotate(degrees) // what is wrong with it shows with the next frame
	}
}

// Present says whether the matrix and the joystick are there at the moment.
func (h *HAT) Present() (matrix, stick bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.matrix != nil, h.stick != nil
}
