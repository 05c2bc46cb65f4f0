package hatpanel

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/hattest"
	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/light"
	"github.com/c4hat/c4hat/internal/session"
)

const darkLEDs = "........\n........\n........\n........\n........\n........\n........\n........\n"

func newFront(d Devices, l Look, log io.Writer) *Front {
	return New(d, &hat.Opts{}, l, slog.New(slog.NewTextHandler(log, nil)))
}

// play runs a game on a front, and on a panel with which the test plays, until the test returns. Then it
// closes the front.
func play(t *testing.T, f *Front, c game.Config, test func(other *gametest.Panel), more ...session.Panel) {
	t.Helper()
	c.Setup = game.Setup{Rules: board.Standard, Points: 2}
	s, err := game.New(c, time.Now())
	must(t, err)
	other := gametest.NewPanel()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := session.New(s, session.Options{}).Run(ctx, append(more, f, other)...)
		f.Close()
		done <- err
	}()
	synctest.Wait()
	test(other)
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("the loop ended: %v", err)
	}
}

// onHAT runs a game on a HAT in memory while the test plays, and returns the log.
func onHAT(t *testing.T, h *hattest.HAT, test func(f *Front, other *gametest.Panel)) string {
	t.Helper()
	var log gametest.Log
	f := newFront(Devices{h.OpenMatrix, h.OpenJoystick}, Look{}, &log)
	play(t, f, game.Config{}, func(other *gametest.Panel) { test(f, other) })
	if h.Letters() != darkLEDs {
		t.Errorf("after the end\n%s", h.Letters())
	}
	return log.String()
}

// same checks that the LEDs show the same as the other panel.
func same(t *testing.T, h *hattest.HAT, other *gametest.Panel) {
	t.Helper()
	synctest.Wait()
	if got := lettersOf(other.Last()); h.Letters() != got {
		t.Fatalf("the LEDs show\n%swant\n%s", h.Letters(), got)
	}
}

// lettersOf draws a view's LEDs as [hattest.HAT.Letters] does.
func lettersOf(v game.View) string {
	f := gametest.Colours(v)
	return hattest.Letters(&f)
}

// sleep lets time pass, and waits until everything that happens in this time is done.
func sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

var must = try.Must

// A HAT that is taken away during a turn, whole or in part, and comes back, shows the picture and takes
// keys within two seconds, although a file of a deleted device cannot be closed. Only what is missing
// for a while is logged.
func TestUnplugAndPlug(t *testing.T) {
	for _, tt := range []struct {
		name     string
		out, in  func(h *hattest.HAT)
		away     time.Duration
		warnings []string
	}{
		{"matrix", (*hattest.HAT).UnplugMatrix, (*hattest.HAT).PlugMatrix, time.Second, nil},
		{"joystick", (*hattest.HAT).UnplugJoystick, (*hattest.HAT).PlugJoystick, time.Minute, []string{"joystick"}},
		{"both", unplug, plug, 10 * time.Second, nil},
		{"both, for long", unplug, plug, time.Hour, []string{"matrix"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := hattest.New()
				var release []func()
				log := onHAT(t, h, func(f *Front, other *gametest.Panel) {
					sleep(2 * time.Second)
					for range 3 {
						if tt.name != "joystick" {
							release = append(release, h.BlockCloses())
						}
						h.Press(hat.Left)
						tt.out(h)
						sleep(10 * time.Millisecond)
						other.Press(game.Press{Key: game.Left}) // something to show
						sleep(tt.away)
						tt.in(h)
						sleep(2 * time.Second)
						same(t, h, other)
						before := other.Last().Cursor
						h.Hold(hat.Left) // it was not pressed since
						h.Release(hat.Left)
						synctest.Wait()
						if tt.name != "matrix" && other.Last().Cursor != before {
							t.Error("a key that was held is still held")
						}
						before = other.Last().Cursor
						h.Tap(hat.Left)
						same(t, h, other)
						if m, j := f.Present(); other.Last().Cursor == before || !m || !j {
							t.Errorf("the cursor is on %d; there: %v, %v", before, m, j)
						}
					}
				})
				if n := strings.Count(log, "WARN"); n != 3*len(tt.warnings) {
					t.Errorf("%d warnings", n)
				}
				for _, part := range []string{"matrix", "joystick"} {
					warned := 0
					if slices.Contains(tt.warnings, part) {
						warned = 3
					}
					if n, there := strings.Count(log, "waiting for the "+part), strings.Count(log, "the "+part+" is there"); n != warned || there != 1+warned {
						t.Errorf("logged:\n%s", log)
					}
				}
				for _, r := range release {
					r()
				}
			})
		})
	}
}

// Whoever takes the HAT off takes both devices: the kernel removes the joystick first.
func unplug(h *hattest.HAT) {
	h.UnplugJoystick()
	sleep(50 * time.Millisecond)
	h.UnplugMatrix()
}

func plug(h *hattest.HAT) { h.PlugMatrix(); h.PlugJoystick() }

// In the dark a whole HAT that comes back shows the picture of the next key. Nothing wakes the front
// while both devices are there.
func TestDark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		var log gametest.Log
		f := newFront(Devices{h.OpenMatrix, h.OpenJoystick}, Look{}, &log)
		play(t, f, game.Config{Idle: time.Minute, Attract: true, Forever: true}, func(other *gametest.Panel) {
			sleep(time.Hour)
			if p := other.Last().Phase; p != game.Dark || !f.retry.IsZero() || !f.repeat.IsZero() {
				t.Errorf("in %v the front wakes at %v and %v", p, f.retry, f.repeat)
			}
			unplug(h)
			sleep(time.Minute)
			plug(h)
			sleep(2 * time.Second)
			h.Tap(hat.Middle)
			same(t, h, other)
			if p := other.Last().Phase; p == game.Dark {
				t.Error("the key had no effect")
			}
		})
	})
}

// A picture that got lost without an error comes back by itself, and after a press, and so does the
// driver's gamma table.
func TestRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		onHAT(t, h, func(_ *Front, other *gametest.Panel) {
			for range 3 {
				h.Reseat()
				h.SetGamma([32]byte{})
				if h.Letters() != darkLEDs {
					t.Fatal("the test is void: the setup had no effect")
				}
				sleep(repeatEvery)
				same(t, h, other)
				h.Reseat()
				h.Press(hat.Up)
				sleep(repeatAfter)
				same(t, h, other)
				if h.Gamma() != hat.DefaultGamma() {
					t.Error("the gamma table is lost")
				}
			}
			wrote := len(h.Frames())
			other.Press(game.Press{Key: game.Down, Action: game.Held}) // no effect
			if n := len(h.Frames()) - wrote; n != 0 {
				t.Errorf("%d frames for an unchanged picture", n)
			}
		})
	})
}

// A device that fails again and again is opened once a second, and logged once. What cannot be opened
// is tried for ever.
func TestFailing(t *testing.T) {
	for _, what := range []string{"matrix", "joystick"} {
		for _, fault := range []error{syscall.EIO, syscall.ENOSPC, errors.New("unknown")} {
			synctest.Test(t, func(t *testing.T) {
				h := hattest.New()
				var opened atomic.Int32
				d := Devices{
					func(o *hat.Opts) (*hat.Matrix, error) { opened.Add(1); return h.OpenMatrix(o) },
					func(o *hat.Opts) (*hat.Joystick, error) { opened.Add(1); return h.OpenJoystick(o) },
				}
				var log gametest.Log
				play(t, newFront(d, Look{}, &log), game.Config{}, func(other *gametest.Panel) {
					sleep(2 * time.Second)
					fail := h.FailWrites
					if what == "joystick" {
						fail = h.FailReads
					}
					fail(-1, fault)
					other.Press(game.Press{Key: game.Left})
					sleep(10 * time.Minute)
					if n := opened.Load(); n < 600 || n > 1300 {
						t.Errorf("opened %d times in 10 minutes", n)
					}
					fail(0, nil)
					sleep(3 * time.Second)
					same(t, h, other)
				})
				if got := log.String(); strings.Count(got, "WARN") != 1 || strings.Count(got, "the "+what+" is there") != 2 || !strings.Contains(got, fault.Error()) {
					t.Errorf("%v:\n%s", fault, got)
				}
			})
		}
	}
}

// A write that hangs delays neither the game nor the program's exit.
func TestStuckWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		var log gametest.Log
		var release func()
		var ending time.Time
		play(t, newFront(Devices{h.OpenMatrix, h.OpenJoystick}, Look{}, &log), game.Config{}, func(other *gametest.Panel) {
			release = h.BlockWrites()
			h.Tap(hat.Left)
			synctest.Wait()
			h.Tap(hat.Middle)
			sleep(time.Second)
			if v := other.Last(); v.Game.String() != "3" || v.Phase != game.Aim {
				t.Errorf("%v after %s", v.Phase, v.Game.String())
			}
			ending = time.Now()
		})
		if took := time.Since(ending); took > 100*time.Millisecond || !strings.Contains(log.String(), "stuck") {
			t.Errorf("the end took %v:\n%s", took, log.String())
		}
		release()
	})
}

// The picture follows the accelerometer and the light sensor when the LEDs light up, and not while they
// are lit. A sensor that fails changes nothing.
func TestSensors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := hattest.NewBoard()
		stand := func(x, y int16, light float64) { b.Tilt(x, y, 0); b.Light(light) }
		const g = 16393
		stand(0, g, 100)
		i := b.I2C()
		l := Look{Colours: light.New(light.Night, 50), Palette: light.Night, Upright: i.Rotation, Room: i.Light}
		var log gametest.Log
		f := newFront(Devices{i.OpenMatrix, i.OpenJoystick}, l, &log)
		play(t, f, game.Config{Attract: true, Forever: true, Idle: time.Minute}, func(other *gametest.Panel) {
			press := func(k hat.Key) {
				b.Press(k)
				sleep(200 * time.Millisecond)
				b.Release(k)
				sleep(time.Second)
			}
			is := func(when string, degrees, brightness int) {
				t.Helper()
				h := hattest.New()
				m, err := h.OpenMatrix(&hat.Opts{Rotate: degrees})
				must(t, err)
				v := other.Last()
				frame := light.New(light.Night, brightness).Frame(&v.Frame)
				must(t, m.WriteFrame(&frame))
				if b.LEDs() != ledsOf(h) {
					t.Errorf("%s: not %d degrees and %d %%", when, degrees, brightness)
				}
			}
			sleep(time.Second)
			press(hat.Middle)
			press(hat.Middle)
			is("at first", 180, 100)
			stand(g, 0, 0)
			before := b.Asked()
			press(hat.Left) // right, in a picture upside down
			if v := other.Last(); v.Cursor != 4 {
				t.Errorf("the cursor is on %d", v.Cursor)
			}
			is("in a match", 180, 100)
			sleep(time.Hour)
			if b.Asked() != before {
				t.Error("read in the dark or in a match")
			}
			press(hat.Middle)
			is("after the dark", 90, 1)
			f.Change(l)
			sleep(time.Second)
			is("the same settings again", 90, 1)
			f.Change(Look{Colours: light.New(light.Night, 30), Degrees: 270})
			sleep(time.Second)
			is("other settings", 270, 30)
			b.Light(-1)
			f.Change(l)
			sleep(time.Second)
			is("without a light sensor", 90, 50)
		})
		if n := strings.Count(log.String(), "the brightness does not follow the room"); n != 1 {
			t.Errorf("logged:\n%s", log.String())
		}
	})
}
