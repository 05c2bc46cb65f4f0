package hatpanel

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/hattest"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/session"
)

const gravity = 16393

// following runs a game with the demo and the menu on a board with an accelerometer.
func following(t *testing.T, b *hattest.Board, ask func() (int, error), test func(*Panel, *gametest.Panel)) (logged string) {
	t.Helper()
	var log bytes.Buffer
	panel := NewOf(b, nil, nil, nil, slog.New(slog.NewTextHandler(&log, nil)))
	if ask == nil {
		ask = b.I2C().Accelerometer().Rotation
	}
	panel.Follow(ask)
	c := game.Config{Attract: true, Forever: true, Idle: 10 * time.Minute}
	play(t, panel, c, session.Options{}, func(other *gametest.Panel) {
		sleep(200 * time.Millisecond)
		test(panel, other)
	})
	return log.String()
}

// stands checks the rotation of the board's picture.
func stands(t *testing.T, b *hattest.Board, other *gametest.Panel, degrees int) {
	t.Helper()
	h := hattest.New()
	m, err := h.OpenMatrix(&hat.Opts{Rotate: degrees})
	must(t, err)
	defer m.Close()
	frame := gametest.Colours(other.Last())
	must(t, m.WriteFrame(&frame))
	if got, want := b.LEDs(), ledsOf(h); got != want {
		t.Errorf("not rotated by %d in %v:\n% x\nwant\n% x", degrees, other.Last().Phase, got, want)
	}
}

// The picture follows the HAT within a second in the menu and in the demo. When the HAT lies flat,
// the picture stays as it is. The sensor is not read during a match.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := hattest.NewBoard()
		log := following(t, b, nil, func(_ *Panel, other *gametest.Panel) {
			b.Tilt(0, gravity, 0)
			sleep(1100 * time.Millisecond) // in the demo
			tap(b, hat.Middle)             // to the menu
			if v := other.Last(); v.Phase != game.Menu {
				t.Fatal(v.Phase)
			}
			stands(t, b, other, 180)
			for _, tt := range []struct {
				x, y, z int16
				want    int
			}{
				{gravity, 0, 0, 90}, {0, 0, gravity, 90}, {-gravity, 0, 0, 270}, {0, 0, -gravity, 270},
				{-gravity * 7 / 10, -gravity * 7 / 10, 0, 270}, {0, -gravity, 0, 0}, {gravity, 0, 0, 90},
			} {
				b.Tilt(tt.x, tt.y, tt.z)
				sleep(1100 * time.Millisecond)
				stands(t, b, other, tt.want)
			}
			before := b.Asked()
			sleep(30 * time.Second)
			if n := b.Asked() - before; n != 30 {
				t.Errorf("asked %d times in 30 s", n)
			}
			tap(b, hat.Middle)
			if v := other.Last(); v.Phase != game.Aim {
				t.Fatal(v.Phase)
			}
			before = b.Asked()
			b.Tilt(0, gravity, 0)
			tap(b, hat.Up) // the HAT's up is left in a picture rotated by 90 degrees
			sleep(3 * time.Second)
			if v := other.Last(); v.Cursor != 2 {
				t.Errorf("the cursor is on %d", v.Cursor)
			}
			stands(t, b, other, 90)
			sleep(5 * time.Minute)
			if n := b.Asked() - before; n != 0 {
				t.Errorf("asked %d times in a match", n)
			}
			sleep(time.Hour)
			if v := other.Last(); v.Phase != game.Dark {
				t.Fatal(v.Phase)
			}
			if n := b.Asked() - before; n != 0 {
				t.Errorf("asked %d times in the dark", n)
			}
		})
		if strings.Contains(log, "WARN") {
			t.Errorf("logged:\n%s", log)
		}
	})
}

// If the sensor fails, this is logged once, the picture keeps its rotation, and the sensor is read
// less often.
func TestFollowWithoutSensor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := hattest.NewBoard()
		asked := 0
		log := following(t, b, func() (int, error) { asked++; return 0, errors.New("no bus") }, func(_ *Panel, other *gametest.Panel) {
			sleep(time.Minute)
			if asked != 7 {
				t.Errorf("asked %d times in a minute", asked)
			}
			b.Press(hat.Middle)
			sleep(time.Second)
			stands(t, b, other, 0)
		})
		if n := strings.Count(log, "cannot rotate the picture"); n != 1 {
			t.Errorf("logged %d times:\n%s", n, log)
		}
	})
}

// Without a HAT the sensor is not read; when the HAT is back, its picture is upright at
// once.
func TestFollowWithoutMatrix(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := hattest.NewBoard()
		b.Tilt(gravity, 0, 0)
		following(t, b, nil, func(_ *Panel, other *gametest.Panel) {
			b.Unplug() // the demo's next frame notices
			sleep(time.Minute)
			b.Tilt(-gravity, 0, 0)
			before, tried := b.Asked(), b.Transfers()
			sleep(time.Minute)
			if n := b.Transfers() - tried; n > 2*15*5 || b.Asked() != before { // the matrix and the joystick are tried every four seconds
				t.Errorf("%d transfers in a minute", n)
			}
			b.Plug()
			sleep(5 * time.Second)
			b.Press(hat.Middle)
			sleep(time.Second)
			stands(t, b, other, 270)
		})
	})
}

// Follow(nil) stops the readings, so that a fixed rotation stays until Follow is called again.
func TestFollowEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := hattest.NewBoard()
		b.Tilt(gravity, 0, 0)
		following(t, b, nil, func(p *Panel, other *gametest.Panel) {
			b.Press(hat.Middle)
			sleep(time.Second)
			stands(t, b, other, 90)
			p.Follow(nil)
			p.Rotate(270)
			before := b.Asked()
			sleep(10 * time.Second)
			stands(t, b, other, 270)
			if n := b.Asked() - before; n != 0 {
				t.Errorf("asked %d times", n)
			}
			p.Follow(b.I2C().Accelerometer().Rotation) // it returns the same rotation as before
			sleep(time.Second)
			stands(t, b, other, 90)
		})
	})
}

// A resumed match is rotated upright once, and then keeps its rotation.
func TestFollowInResumedMatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := hattest.NewBoard()
		b.Tilt(0, gravity, 0)
		panel := NewOf(b, nil, nil, nil, slog.New(slog.DiscardHandler))
		panel.Follow(b.I2C().Accelerometer().Rotation)
		h := hattest.New()
		onHAT(t, h, session.Options{Panels: []session.Panel{panel}}, func(other *gametest.Panel) {
			sleep(time.Second)
			stands(t, b, other, 180)
			b.Tilt(0, -gravity, 0)
			panel.Follow(func() (int, error) { return 90, nil }) // as a reload does
			sleep(time.Minute)
			stands(t, b, other, 180)
			if n := b.Asked(); n != 1 {
				t.Errorf("asked %d times", n)
			}
		})
		panel.Close()
	})
}
