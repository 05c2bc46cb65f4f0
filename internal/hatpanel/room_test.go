package hatpanel

import (
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/hattest"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/light"
)

// The brightness follows the room in steps, whatever flickers there, and stays without a sensor.
// Nothing is read while the LEDs are dark.
func TestDim(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := hattest.NewBoard()
		steady := func(light float64) func(time.Duration) float64 { return func(time.Duration) float64 { return light } }
		b.Light(steady(100))
		log := following(t, b, func() (int, error) { return 0, nil }, func(p *Panel, other *gametest.Panel) {
			tap := func() {
				b.Press(hat.Middle)
				sleep(50 * time.Millisecond)
				b.Release(hat.Middle)
				sleep(400 * time.Millisecond)
			}
			// brightness returns the brightness, and checks that the LEDs have it.
			brightness := func() int {
				t.Helper()
				p.sensing.Lock()
				is := p.room.is
				p.sensing.Unlock()
				v := other.Last()
				frame := light.New(light.Night, is).Frame(&v.Frame)
				h := hattest.New()
				m, err := h.OpenMatrix(nil)
				must(t, err)
				defer m.Close()
				if err := m.WriteFrame(&frame); err != nil || b.LEDs() != ledsOf(h) {
					t.Errorf("the LEDs do not have the brightness %d in %v: %v", is, v.Phase, err)
				}
				return is
			}
			is := func(when string, want ...int) {
				t.Helper()
				for i, want := range want {
					if i > 0 {
						sleep(roomInterval + 200*time.Millisecond) // the time that a reading takes
					}
					if got := brightness(); got != want {
						t.Errorf("%s, reading %d: %d, want %d", when, i, got, want)
					}
				}
			}
			for range 3 {
				tap()
			}
			if v := other.Last(); v.Phase != game.Aim && v.Phase != game.Fall {
				t.Fatal(v.Phase)
			}
			p.Dim(b.I2C().LightSensor().Light, light.Night)
			sleep(time.Second)
			is("bright", 100, 100)
			b.Light(steady(0))
			is("the light goes out", 100, 80, 60, 40, 20, 1, 1)
			if b.LEDs() == [192]byte{} {
				t.Error("at the lowest brightness every LED is dark")
			}
			b.Light(steady(1))
			middle := light.Brightness(1)
			is("a lamp", 1, 21, 41, middle, middle)
			for _, hertz := range []float64{100, 120} {
				b.Light(func(since time.Duration) float64 {
					return 1 + math.Copysign(1, math.Sin(2*math.Pi*hertz*(since.Seconds()+1e-5)))
				})
				is("a lamp that flickers", middle, middle, middle, middle, middle, middle)
			}
			b.Light(nil)
			is("no sensor", middle, middle, middle)
			b.Light(steady(100))
			tap() // not idle
			sleep(roomBackoff)
			is("the sensor is back", middle+40) // two readings
			before, _ := b.Measured()
			sleep(time.Minute)
			if n, on := b.Measured(); n != before+4 || on {
				t.Errorf("%d readings in a minute, want 4; the sensor is on: %v", n-before, on)
			}
			sleep(10 * time.Minute)
			before, _ = b.Measured()
			transfers := b.Transfers()
			sleep(time.Hour)
			if n, on := b.Measured(); other.Last().Phase != game.Dark || n != before || on || b.Transfers() > transfers+2000 {
				t.Errorf("in an hour of %v: %d readings, %d transfers", other.Last().Phase, n-before, b.Transfers()-transfers)
			}
			b.Light(steady(0))
			tap()
			is("lit again", 1)
			p.Dim(nil, "")
			before, _ = b.Measured()
			sleep(time.Hour)
			if n, _ := b.Measured(); n != before {
				t.Errorf("%d readings after the end", n-before)
			}
		})
		if n := strings.Count(log, "the brightness does not follow the room"); n != 1 || !strings.Contains(log, "only a Sense HAT V2 has one") {
			t.Errorf("logged %d times:\n%s", n, log)
		}
	})
}
