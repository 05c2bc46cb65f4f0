//go:build guest

package guest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
	"github.com/c4hat/c4hat/internal/dev/e2e/uinput"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/light"
)

// program is the path of c4hat in the guest.
const program = "/bin/c4hat"

// running is c4hat on this kernel's devices.
type running struct {
	*exec.Cmd
	out, errs strings.Builder
}

func run(t *testing.T, args ...string) *running {
	t.Helper()
	if _, err := os.Stat(program); err != nil {
		t.Skip("not in this guest:", err)
	}
	if screens, _ := filepath.Glob("/sys/class/graphics/fb[0-9]*"); len(screens) > 0 {
		freeMatrix(t)
	}
	if args[0] == "daemon" { // without the match of an earlier test
		args = append(args, "--state", t.TempDir(), "--socket", filepath.Join(t.TempDir(), "socket"))
	}
	p := &running{Cmd: exec.Command(program, args...)}
	p.Stdout, p.Stderr = &p.out, &p.errs
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if p.ProcessState == nil {
			_ = p.Process.Kill()
			_ = p.Wait()
		}
		if t.Failed() {
			t.Logf("%v printed %s%s", args, p.out.String(), p.errs.String())
		}
	})
	return p
}

// freeMatrix unbinds the text console from the matrix, as the setup of a Pi without a
// screen does. The kernel binds it each time the matrix is plugged in.
func freeMatrix(t *testing.T) {
	t.Helper()
	if err := os.WriteFile(bindConsole(t), []byte("0"), 0); err != nil {
		t.Fatal(err)
	}
}

// end waits for the program to exit and checks its exit status and that the LEDs are
// dark.
func (p *running) end(t *testing.T, want int) {
	t.Helper()
	_ = p.Wait()
	if got := p.ProcessState.ExitCode(); got != want {
		t.Errorf("exit status %d, want %d", got, want)
	}
	showing(t, light.Frame{}, 0)
}

func plug(t *testing.T, keys uinput.Keymap) *uinput.Stick {
	t.Helper()
	s, err := uinput.Create(keys)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// showing waits until the LEDs show the frame, rotated clockwise by quarters × 90 degrees.
func showing(t *testing.T, f light.Frame, quarters int) {
	t.Helper()
	want := standin.Lit(turn(f, quarters))
	var leds standin.LEDs
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		var err error
		if leds, err = standin.ReadLEDs(); err != nil {
			t.Fatal(err)
		}
		if leds == want {
			return
		}
	}
	t.Fatalf("the LEDs show\n%vwant\n%v", leds, want)
}

func turn(f light.Frame, quarters int) light.Frame {
	for range quarters {
		var turned light.Frame
		for i, c := range f {
			x, y := i%8, i/8
			turned[8*x+7-y] = c
		}
		f = turned
	}
	return f
}

// physical returns the joystick key for a direction in a picture that is rotated clockwise by
// quarters × 90 degrees.
func physical(k game.Key, quarters int) uinput.Key {
	clockwise := []uinput.Key{uinput.Up, uinput.Right, uinput.Down, uinput.Left}
	at := map[game.Key]int{game.Up: 0, game.Right: 1, game.Down: 2, game.Left: 3}
	i, ok := at[k]
	if !ok {
		return uinput.Middle
	}
	return clockwise[(i+quarters)%4]
}

func tap(t *testing.T, s *uinput.Stick, k uinput.Key) {
	t.Helper()
	if err := s.Tap(k); err != nil {
		t.Fatal(err)
	}
	time.Sleep(20 * time.Millisecond)
}

// A whole match is played by presses, at every rotation and with both keymaps. The LEDs show every
// position and every phase.
func TestMatch(t *testing.T) {
	for quarters, keymap := range []uinput.Keymap{uinput.RaspberryPi, uinput.Mainline, uinput.RaspberryPi, uinput.Mainline} {
		t.Run(fmt.Sprint(90*quarters), func(t *testing.T) {
			stick := plug(t, keymap)
			p := run(t, "play", "--display", "hat", "--points", "1", "--rotate", fmt.Sprint(90*quarters))
			g := gametest.New(t, game.Config{Setup: game.Setup{Rules: board.Standard, Points: 1}})
			press := func(k game.Key) {
				tap(t, stick, physical(k, quarters))
				g.Press(k)
			}
			p.hears(t)
			for _, col := range []int{3, 4, 3, 2, 3, 4, 3} {
				g.Until(game.Aim)
				showing(t, g.Frame(), quarters)
				for at := 3; at < col; at++ {
					press(game.Right)
				}
				for at := 3; at > col; at-- {
					press(game.Left)
				}
				showing(t, g.Frame(), quarters)
				press(game.Down)
			}
			for _, phase := range []game.Phase{game.Cheer, game.Score, game.Victory} {
				g.Until(phase)
				showing(t, g.Frame(), quarters)
			}
			p.end(t, 0)
			if got := p.out.String(); got != "red wins the match 1-0\n" {
				t.Errorf("printed %q", got)
			}
		})
	}
}

// play starts a match on the HAT and waits for its picture and its joystick.
func play(t *testing.T) (*running, *gametest.Game) {
	t.Helper()
	p := run(t, "play", "--display", "hat")
	g := gametest.New(t, game.Config{Setup: game.Setup{Rules: board.Standard, Points: 2, First: board.FirstAlternate}})
	showing(t, g.Frame(), 0)
	p.hears(t)
	return p, g
}

// stop ends the program with a signal.
func (p *running) stop(t *testing.T) {
	t.Helper()
	freeMatrix(t) // or the console may light the dark LEDs
	_ = p.Process.Signal(syscall.SIGTERM)
	p.end(t, 128+int(syscall.SIGTERM))
}

// The kernel's autorepeat moves the cursor to the edge and no further.
func TestHeldKey(t *testing.T) {
	stick := plug(t, uinput.RaspberryPi)
	p, g := play(t)
	if err := stick.Press(uinput.Left); err != nil {
		t.Fatal(err)
	}
	g.Press(game.Left, game.Left, game.Left)
	showing(t, g.Frame(), 0)
	time.Sleep(time.Second)
	showing(t, g.Frame(), 0)
	if err := stick.Release(uinput.Left); err != nil {
		t.Fatal(err)
	}
	// Holding the middle key drops only one disc.
	if err := stick.Press(uinput.Middle); err != nil {
		t.Fatal(err)
	}
	g.Press(game.Middle)
	g.Until(game.Aim)
	showing(t, g.Frame(), 0)
	time.Sleep(2 * time.Second)
	showing(t, g.Frame(), 0)
	p.stop(t)
}

// The service starts without a HAT, plays when one is plugged in, and leaves it dark.
func TestDaemon(t *testing.T) {
	if err := standin.Unplug(); err != nil {
		t.Fatal(err)
	}
	replugged := false
	t.Cleanup(func() {
		if !replugged {
			_ = standin.Plug()
		}
	})
	p := run(t, "daemon", "--points", "1")
	time.Sleep(time.Second)
	replugged = true
	plugMatrix(t)
	stick := plug(t, uinput.Mainline)
	p.hears(t)
	tap(t, stick, uinput.Left) // to the menu
	tap(t, stick, uinput.Middle)
	g := gametest.New(t, game.Config{Setup: game.Setup{Rules: board.Standard, Points: 1}})
	showing(t, g.Frame(), 0)
	tap(t, stick, uinput.Middle)
	g.Press(game.Middle)
	g.Until(game.Aim)
	showing(t, g.Frame(), 0)
	_ = p.Process.Signal(syscall.SIGTERM)
	p.end(t, 0)
}
