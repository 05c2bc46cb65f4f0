//go:build machine

package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
	"github.com/c4hat/c4hat/internal/dev/e2e/uinput"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
)

var standard = game.Setup{Rules: board.Standard, Points: 2, First: board.FirstAlternate}

// appliance returns a game in the state in which the service starts.
func appliance(t *testing.T) *gametest.Game {
	return gametest.New(t, game.Config{Setup: standard, Attract: true, Forever: true})
}

// starts checks the state after a boot without any key pressed.
func (m *Machine) starts(t *testing.T) {
	t.Helper()
	s := m.AwaitStatus(func(s Status) bool { return s.Machine.Joystick }) // udev may be late
	if s.Phase != "attract" {
		t.Errorf("starts in phase %s", s.Phase)
	}
	m.Mirrors()
	if e := m.Run("systemctl", "is-active", "c4hat"); e.Out != "active\n" {
		t.Errorf("the service is %s", e.Out)
	}
	// udev loads the driver after the service has started, and may set the device's group later
	// still: until then the log must give no advice.
	if e := m.Run("journalctl", "--boot", "--quiet", "--no-pager", "--unit=c4hat", "--priority=notice"); e.Out != "" {
		t.Errorf("a normal boot logs a problem: %s", e.Out)
	}
	m.early(t)
}

// early checks that the service waits for no target, neither for the network nor for the login prompt, and that
// it starts before udev finds the matrix.
func (m *Machine) early(t *testing.T) {
	t.Helper()
	m.Run("systemctl", "is-system-running", "--wait")
	var began, sysinit, loaded, frame int
	e := m.Run("sh", "-c", unitTime("c4hat.service", "ExecMainStart")+"; "+unitTime("sysinit.target", "ActiveEnter")+
		"; udevadm info --query=property --property=USEC_INITIALIZED --value /sys/devices/platform/"+standin.Module+"/graphics/fb*"+
		"; echo $(($(cat /sys/kernel/debug/"+standin.Module+"/first_ns) / 1000))")
	if _, err := fmt.Sscan(e.Out, &began, &sysinit, &loaded, &frame); err != nil || began >= loaded || began >= sysinit || frame == 0 {
		t.Errorf("the service starts at %d µs, after sysinit.target at %d or after udev finds the matrix at %d, first frame at %d: %v", began, sysinit, loaded, frame, err)
	}
	for unit := range strings.FieldsSeq(m.property("After")) {
		if strings.HasSuffix(unit, ".target") || strings.Contains(unit, "getty") || strings.Contains(unit, "udev") {
			t.Errorf("the service waits for %s", unit)
		}
	}
	t.Logf("udev finds the matrix %d ms after the service's start, the first frame comes %d ms after sysinit.target", (loaded-began)/1000, (frame-sysinit)/1000)
}

func unitTime(unit, moment string) string {
	return "systemctl show --value --property=" + moment + "TimestampMonotonic " + unit
}

// step is a part of a test of one machine.
type step struct {
	name string
	do   func(*testing.T, *Machine)
}

// steps runs them in turn, until one fails.
func steps(t *testing.T, all ...step) {
	t.Parallel()
	m := Booted(t, image(t), Power{})
	for _, s := range all {
		if !t.Run(s.name, func(t *testing.T) { s.do(t, m.within(t)) }) {
			t.FailNow()
		}
	}
}

// On a headless machine the HAT is the only screen, framebuffer 0.
func TestAppliance(t *testing.T) {
	boot := func(t *testing.T, m *Machine) {
		m.starts(t)
		if e := m.Run("cat", "/sys/class/graphics/fb0/name"); e.Out != "RPi-Sense FB\n" {
			t.Errorf("framebuffer 0 is %s", e.Out)
		}
		if e := m.Run("who"); e.Out != "" {
			t.Errorf("a user is logged in: %s", e.Out)
		}
	}
	steps(t, step{"boot", boot}, step{"match", countWrites}, step{"idle", idle}, step{"replug", replug}, step{"32 bit", narrow}, step{"board", comesAsBoard})
}

// Somebody logs in, somebody opens the page, and somebody means harm.
func TestServices(t *testing.T) {
	steps(t, step{"login", playFromLogin}, step{"page", servePage}, step{"stranger", refuseStranger}, step{"latency", measureLatency},
		step{"keyboards", keyboards}, step{"flood", flood}, step{"disk full", fill}, step{"reload", reload})
}

// narrow plays with the program as a 32-bit one, as on a Pi with 32 bits: its ioctls and input records differ from
// the kernel's.
func narrow(t *testing.T, m *Machine) {
	run := func(program string) {
		m.sh("mkdir -p /run/systemd/system/c4hat.service.d; printf '[Service]\nSystemCallArchitectures=native x86\nExecStart=\nExecStart=" + program +
			" daemon\n' >/run/systemd/system/c4hat.service.d/program.conf; systemctl daemon-reload; systemctl restart c4hat")
	}
	before, pid := m.saved(), m.property("MainPID")
	run("/usr/local/bin/narrow")
	m.AwaitStatus(func(s Status) bool { return s.Machine.Joystick && m.property("MainPID") != pid })
	for range 3 {
		m.drop()
		m.Mirrors()
	}
	if s := m.AwaitStatus(anyStatus); s.id() != before.id() {
		t.Errorf("the match %s became %s", before.id(), s.id())
	}
	m.sh("rm -r /run/systemd/system/c4hat.service.d; systemctl daemon-reload; systemctl restart c4hat")
	m.AwaitStatus(func(s Status) bool { return s.Machine.Joystick })
}

// The machine survives faults.
func TestFaults(t *testing.T) {
	boot := func(t *testing.T, m *Machine) { m.starts(t) }
	steps(t, step{"boot", boot}, step{"watchdog", wedge}, step{"crash", crash}, step{"deleted", deleted},
		step{"gamma", gamma}, step{"exhausted", exhaust})
}

// within returns the machine for a subtest: a method that fails then ends that subtest.
func (m *Machine) within(t *testing.T) *Machine {
	inner := *m
	inner.t = t
	return &inner
}

// With another screen the HAT is framebuffer 1 or, if the screen comes later, framebuffer 0, unless the
// kernel keeps that for the screen. The kernel's text console is on the screen, and the game on the HAT.
func TestSecondScreen(t *testing.T) {
	t.Parallel()
	for _, later := range []bool{false, true} {
		t.Run(map[bool]string{false: "first", true: "later"}[later], func(t *testing.T) {
			t.Parallel()
			var m *Machine
			names := []string{"Virtual FB\n", "RPi-Sense FB\n"}
			if later {
				m = Booted(t, image(t), Power{})
				m.sh("echo options vfb vfb_enable=1 >/etc/modprobe.d/vfb.conf; echo vfb >/etc/modules-load.d/vfb.conf; systemctl restart systemd-modules-load; udevadm settle")
				slices.Reverse(names)
			} else {
				m = New(t, image(t))
				m.On(Power{KernelArgs: []string{"modules_load=vfb", "vfb.vfb_enable=1"}})
			}
			m.starts(t)
			for n, want := range names {
				if e := m.Run("cat", fmt.Sprintf("/sys/class/graphics/fb%d/name", n)); e.Out != want {
					t.Errorf("framebuffer %d is %q, want %q", n, e.Out, want)
				}
			}
			console := func(want string) {
				t.Helper()
				if e := m.Run("c4hat", "doctor"); !strings.Contains(e.Out, "the kernel's text console "+want) {
					t.Errorf("not %q:\n%s", want, e.Out)
				}
			}
			console("does not use the matrix")
			if !later { // as where the kernel keeps framebuffer 0 for a screen, which comes after the HAT
				m.sh("echo vfb.0 >/sys/bus/platform/drivers/vfb/unbind; udevadm settle; udevadm trigger --settle --action=add /sys/class/graphics/fb1")
				console("does not use the matrix")
				m.sh("echo vfb.0 >/sys/bus/platform/drivers/vfb/bind; udevadm settle; grep Virtual /sys/class/graphics/fb0/name")
				console("does not use the matrix")
			}
			m.Tap(uinput.Left)
			g := appliance(t)
			g.Press(game.Left)
			m.Shows(g.View())
		})
	}
}

// playMatch plays from the attract screen to two points for red, by presses alone. The
// LEDs show the game's picture in every turn and in every phase. The joystick is
// unplugged during a turn and plugged back in.
func playMatch(t *testing.T, m *Machine) {
	m.Tap(uinput.Left)
	menu := appliance(t)
	menu.Press(game.Left)
	m.Shows(menu.View())
	m.Tap(uinput.Middle) // the menu's first choice is two players
	g := gametest.New(t, game.Config{Setup: standard})
	press := func(keys ...game.Key) {
		for _, k := range keys {
			m.Tap(physical[k])
			g.Press(k)
		}
	}
	for turn := 0; g.View().Phase != game.Victory; turn++ {
		g.Until(game.Aim)
		m.Shows(g.View())
		v := g.View()
		at := 4 // red's column: four discs in it win
		if v.Game.Position().Turn() == board.Yellow {
			at = turn % 3
		}
		if turn == 3 {
			press(game.Left)
			m.Unplug()
			m.AwaitStatus(func(s Status) bool { return !s.Machine.Joystick })
			m.Plug()
			m.AwaitStatus(func(s Status) bool { return s.Machine.Joystick })
			m.Shows(g.View())
		}
		for at > g.View().Cursor {
			press(game.Right)
		}
		for at < g.View().Cursor {
			press(game.Left)
		}
		m.Shows(g.View())
		m.Run("sleep", "0.3") // a drop right after the last disc has landed does nothing
		g.After(time.Second / 2)
		press(game.Down)
		if g.After(time.Second); g.View().Phase == game.Cheer {
			phases := []game.View{g.View()}
			g.Until(game.Score)
			phases = append(phases, g.View())
			if g.View().Match.Winner() != board.Empty {
				g.Until(game.Victory)
				phases = append(phases, g.View())
			}
			m.Shows(phases...)
		}
	}
	m.Shows(g.View())
	s := m.AwaitStatus(func(s Status) bool { return s.Winner != "" })
	if s.Winner != "red" || s.Points["red"] != 2 || s.Points["yellow"] != 0 {
		t.Errorf("%s wins, %v; want red with 2-0", s.Winner, s.Points)
	}
	m.Tap(uinput.Left) // back to the attract screen
}

var physical = map[game.Key]uinput.Key{
	game.Up: uinput.Up, game.Down: uinput.Down, game.Left: uinput.Left, game.Right: uinput.Right, game.Middle: uinput.Middle,
}
