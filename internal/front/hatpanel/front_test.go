package hatpanel

import (
	"context"
	"errors"
	"io"
	"log/slog"
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
	"github.com/c4hat/c4hat/internal/session"
)

const darkLEDs = "........\n........\n........\n........\n........\n........\n........\n........\n"

// device is a HAT in memory.
type device interface {
	OpenMatrix() (*hat.Matrix, error)
	OpenJoystick() (*hat.Joystick, error)
}

func newFront(d device, l Look, log io.Writer) *Front {
	return New(d.OpenMatrix, d.OpenJoystick, l, slog.New(slog.NewTextHandler(log, nil)))
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

// desk is a game on a HAT in memory, with another panel at which the test plays.
type desk struct {
	*testing.T
	*hattest.HAT
	front  *Front
	other  *gametest.Panel
	log    gametest.Log
	opened atomic.Int32 // how often the devices were opened
}

func (d *desk) OpenMatrix() (*hat.Matrix, error) {
	d.opened.Add(1)
	return d.HAT.OpenMatrix()
}

func (d *desk) OpenJoystick() (*hat.Joystick, error) {
	d.opened.Add(1)
	return d.HAT.OpenJoystick()
}

// onHAT runs a game on a HAT while the test plays.
func onHAT(t *testing.T, c game.Config, test func(d *desk)) (d *desk) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		d = &desk{T: t, HAT: h}
		d.front = newFront(d, Look{Idle: time.Minute}, &d.log)
		play(t, d.front, c, func(other *gametest.Panel) { d.other = other; test(d) })
		if h.Letters() != darkLEDs {
			t.Errorf("after the end\n%s", h.Letters())
		}
	})
	d.T = t
	return d
}

// same checks that the LEDs show the same as the other panel.
func (d *desk) same() {
	d.Helper()
	synctest.Wait()
	if got := lettersOf(d.other.Last()); d.Letters() != got {
		d.Fatalf("the LEDs show\n%swant\n%s", d.Letters(), got)
	}
}

// logged checks how often the log has each text.
func (d *desk) logged(texts map[string]int) {
	for text, want := range texts {
		if n := strings.Count(d.log.String(), text); n != want {
			d.Errorf("%d times %q, want %d:\n%s", n, text, want, d.log.String())
		}
	}
}

// lettersOf draws a view's LEDs as [hattest.HAT.Letters] does.
func lettersOf(v game.View) string {
	f := classic.Frame(&v.Frame)
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
	for name, tt := range map[string]struct {
		out, in  func(h *hattest.HAT)
		away     time.Duration
		warnings int
	}{
		"matrix":         {(*hattest.HAT).UnplugMatrix, (*hattest.HAT).PlugMatrix, time.Second, 0},
		"joystick":       {(*hattest.HAT).UnplugJoystick, (*hattest.HAT).PlugJoystick, time.Minute, 3},
		"both":           {unplug, plug, 10 * time.Second, 0},
		"both, for long": {unplug, plug, time.Hour, 3},
		"still":          {unplug, plug, 100 * time.Millisecond, 0}, // nothing was written meanwhile
	} {
		t.Run(name, func(t *testing.T) {
			d := onHAT(t, game.Config{}, func(d *desk) {
				sleep(2 * time.Second)
				for range 3 {
					if name != "joystick" {
						defer d.BlockCloses()()
					}
					d.Press(hat.Left)
					if name == "still" {
						sleep(2 * repeatEvery)
					}
					tt.out(d.HAT)
					sleep(10 * time.Millisecond)
					if name != "still" {
						d.other.Press(game.Press{Key: game.Left}) // something to show
					}
					sleep(tt.away)
					tt.in(d.HAT)
					sleep(2 * time.Second)
					d.same()
					before := d.other.Last().Cursor
					d.Hold(hat.Left) // it was not pressed since
					d.Release(hat.Left)
					synctest.Wait()
					if name != "matrix" && d.other.Last().Cursor != before {
						t.Error("a key that was held is still held")
					}
					before = d.other.Last().Cursor
					d.Tap(hat.Left)
					d.same()
					if m, j := d.front.Present(); d.other.Last().Cursor == before || !m || !j {
						t.Errorf("the cursor is on %d; there: %v, %v", before, m, j)
					}
				}
			})
			d.logged(map[string]int{"WARN": tt.warnings, "waiting for the HAT": tt.warnings, "the HAT is there": 1 + tt.warnings})
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
	onHAT(t, game.Config{Idle: time.Minute, Attract: true, Forever: true}, func(d *desk) {
		sleep(time.Hour)
		if p := d.other.Last().Phase; p != game.Dark || d.front.wake.Stop() {
			t.Errorf("in %v the front wakes", p)
		}
		unplug(d.HAT)
		sleep(time.Minute)
		plug(d.HAT)
		sleep(2 * time.Second)
		d.Tap(hat.Middle)
		if d.same(); d.other.Last().Phase == game.Dark {
			t.Error("the key had no effect")
		}
	})
}

// A picture that got lost without an error comes back by itself, and after a press.
func TestRepeats(t *testing.T) {
	onHAT(t, game.Config{}, func(d *desk) {
		for range 3 {
			d.Reseat()
			if d.Letters() != darkLEDs {
				t.Fatal("the test is void: the setup had no effect")
			}
			sleep(repeatEvery)
			d.same()
			d.Reseat()
			d.Press(hat.Up)
			sleep(repeatAfter)
			d.same()
		}
		wrote := len(d.Frames())
		d.other.Press(game.Press{Key: game.Down, Action: game.Held}) // no effect
		if n := len(d.Frames()) - wrote; n != 0 {
			t.Errorf("%d frames for an unchanged picture", n)
		}
	})
}

// A device that fails again and again is opened once a second, and logged once. What cannot be opened
// is tried for ever.
func TestFailing(t *testing.T) {
	for _, fail := range map[string]func(*hattest.HAT, error){
		"matrix": (*hattest.HAT).FailWrites, "joystick": (*hattest.HAT).FailReads,
	} {
		for _, fault := range []error{syscall.EIO, syscall.ENOSPC, errors.New("unknown")} {
			onHAT(t, game.Config{}, func(d *desk) {
				sleep(2 * time.Second)
				fail(d.HAT, fault)
				d.other.Press(game.Press{Key: game.Left})
				sleep(10 * time.Minute)
				if n := d.opened.Load(); n < 600 || n > 1300 {
					t.Errorf("opened %d times in 10 minutes", n)
				}
				fail(d.HAT, nil)
				sleep(3 * time.Second)
				d.same()
				d.logged(map[string]int{"WARN": 1, "the HAT is there": 2, fault.Error(): 1})
			})
		}
	}
}

// A write that hangs delays neither the game nor the program's exit.
func TestStuckWrite(t *testing.T) {
	onHAT(t, game.Config{}, func(d *desk) {
		release := d.BlockWrites()
		d.Tap(hat.Left)
		synctest.Wait()
		d.Tap(hat.Middle)
		sleep(time.Second)
		if v := d.other.Last(); v.Game.String() != "3" || v.Phase != game.Aim {
			t.Errorf("%v after %s", v.Phase, v.Game.String())
		}
		ending := time.Now()
		d.front.Close()
		if took := time.Since(ending); took > 100*time.Millisecond {
			t.Errorf("the end took %v", took)
		}
		d.logged(map[string]int{"stuck": 1})
		release()
	})
}

// The sensors are read when the LEDs light up, and not while they are lit: the picture and the keys follow them.
func TestSensors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hattest.New()
		var log gametest.Log
		var degrees, read int
		var fails error
		var l Look
		l.Sense = func() (Look, error) {
			read++
			time.Sleep(300 * time.Millisecond)
			return Look{Degrees: degrees, Sense: l.Sense}, fails
		}
		degrees = 180
		f := newFront(h, l, &log)
		play(t, f, game.Config{Attract: true, Forever: true, Idle: time.Minute}, func(other *gametest.Panel) {
			press := func(k hat.Key) {
				h.Tap(k)
				sleep(time.Second)
			}
			is := func(when string, degrees, times int) {
				t.Helper()
				turned := hattest.New()
				m, err := turned.OpenMatrix()
				must(t, err)
				must(t, m.Rotate(degrees))
				v := other.Last()
				frame := classic.Frame(&v.Frame)
				must(t, m.WriteFrame(&frame))
				if h.Letters() != turned.Letters() || read != times {
					t.Errorf("%s: read %d times, and not turned by %d degrees:\n%s", when, read, degrees, h.Letters())
				}
			}
			sleep(time.Second)
			press(hat.Middle)
			press(hat.Middle)
			is("at first", 180, 1)
			degrees = 90
			press(hat.Left) // right, in a picture upside down
			if v := other.Last(); v.Cursor != 4 {
				t.Errorf("the cursor is on %d", v.Cursor)
			}
			sleep(time.Hour)
			if read != 1 {
				t.Error("read in the dark or in a match")
			}
			press(hat.Middle)
			is("after the dark", 90, 2)
			f.Change(l)
			synctest.Wait()
			is("while the sensors are read again", 90, 3)
			sleep(time.Second)
			is("the same settings again", 90, 3)
			f.Change(Look{Degrees: 270})
			sleep(time.Second)
			is("other settings", 270, 3)
			fails = errors.New("no sensor")
			f.Change(l)
			sleep(time.Second)
			is("with an error", 90, 4)
		})
		if n := strings.Count(log.String(), "cannot follow a sensor"); n != 1 {
			t.Errorf("logged:\n%s", log.String())
		}
	})
}
