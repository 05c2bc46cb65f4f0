package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/hattest"
	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
	"github.com/c4hat/c4hat/internal/front/hatpanel"
	"github.com/c4hat/c4hat/internal/front/term"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/gdamore/tcell/v3"
	"github.com/gdamore/tcell/v3/vt"
)

// goldenFrames returns the frames in each script of package game.
func goldenFrames(t *testing.T) map[string][]string {
	t.Helper()
	files, err := filepath.Glob("../../internal/game/testdata/*.script")
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts", err)
	}
	all := map[string][]string{}
	for _, file := range files {
		script, err := os.ReadFile(file)
		must(t, err)
		_, rest, more := strings.Cut(string(script), "\nframe\n")
		for more {
			const picture = 8 * len("........\n")
			all[file] = append(all[file], rest[:picture])
			_, rest, more = strings.Cut(rest[picture-1:], "\nframe\n")
		}
	}
	return all
}

// frameOf returns the frame that a script shows in letters, and the letters of the colours that an
// output of that frame must show.
func frameOf(t *testing.T, picture string) (f game.Frame, colours string) {
	t.Helper()
	for i, letter := range []byte(strings.ReplaceAll(picture, "\n", "")) {
		led, ok := game.ParseLED(letter)
		if !ok {
			t.Fatalf("no frame:\n%s", picture)
		}
		f[i] = led
	}
	return f, strings.NewReplacer("O", "B", "o", "b", "W", "G", "w", "g", "D", "W", "d", "w", "L", "W", "l", "w").Replace(picture)
}

// output is a panel, and a function that returns what the panel shows as letters.
type output struct {
	panel session.Panel
	seen  func() string
}

// outputs returns the outputs by name. Package emulator compares the emulator with a framebuffer.
func outputs(t *testing.T) map[string]output {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	hatOf := func(d hatpanel.Devices, o *hat.Opts) *hatpanel.Front {
		t.Helper()
		f := hatpanel.New(d, o, hatpanel.Look{}, log)
		t.Cleanup(f.Close)
		eventually(t, func() bool { matrix, _ := f.Present(); return matrix }, func() string { return "there is no matrix" })
		return f
	}
	all := map[string]output{}

	file := newFileHAT(t)
	o := &hat.Opts{Framebuffer: file.fb, Joystick: file.stick}
	all["framebuffer"] = output{hatOf(hatpanel.Devices{Matrix: hat.OpenMatrix, Joystick: hat.OpenJoystick}, o), func() string { return unpacked(file.leds(t)) }}

	bus := hattest.NewBoard()
	direct := hatpanel.Devices{Matrix: bus.I2C().OpenMatrix, Joystick: bus.I2C().OpenJoystick}
	all["I²C"] = output{hatOf(direct, &hat.Opts{}), func() string { // the light after the gamma table
		var leds standin.LEDs
		for i, v := range bus.LEDs() {
			leds[i/24][i/8%3][i%8] = v
		}
		return leds.String()
	}}

	// At this size the LEDs are at the left, below the headline.
	screen, err := tcell.NewTerminfoScreenFromTty(vt.NewMockTerm(vt.MockOptSize{X: 40, Y: 12}), tcell.OptNegotiation(false), tcell.OptColors(1<<24))
	must(t, err)
	must(t, screen.Init())
	panel := term.New(screen)
	t.Cleanup(panel.Close)
	all["terminal"] = output{panel, func() string {
		var s strings.Builder
		for i := range 64 {
			s.WriteByte(cellLetter(screen.Get(2*(i%8)+1, 1+i/8)))
			if i%8 == 7 {
				s.WriteByte('\n')
			}
		}
		return s.String()
	}}
	return all
}

// cellLetter returns the letter of an LED in a terminal. The values of a screen are not linear: half
// the value is about a quarter of the light.
func cellLetter(text string, style tcell.Style, _ int) byte {
	if text != "●" {
		return '.'
	}
	r, g, b := style.GetForeground().RGB()
	letter, ok := map[[3]bool]byte{
		{true, false, false}: 'R', {true, true, false}: 'Y', {false, false, true}: 'B', {false, true, false}: 'G', {true, true, true}: 'W',
	}[[3]bool{r > 0, g > 0, b > 0}]
	switch strongest := max(r, g, b); {
	case !ok:
		return '?'
	case strongest > 240:
		return letter
	case strongest > 120 && strongest < 140:
		return letter + 'a' - 'A'
	}
	return '?'
}

// All outputs show the golden frames in the same colours.
func TestOutputsAgree(t *testing.T) {
	t.Parallel()
	all := outputs(t)
	view := words.With(gametest.New(t, game.Config{Setup: game.Setup{Rules: board.Standard, Points: 2}}).View())
	shown := 0
	for script, pictures := range goldenFrames(t) {
		for i, picture := range pictures {
			var want string
			view.Frame, want = frameOf(t, picture)
			view.Phase = game.Score // a phase in which a terminal draws the LEDs, not a board
			for name, o := range all {
				for range 2 { // the HAT takes the second view after it has shown the first
					must(t, o.panel.Show(view))
				}
				if got := o.seen(); got != want {
					t.Fatalf("%s, frame %d: %s shows\n%swant\n%s", filepath.Base(script), i, name, got, want)
				}
			}
			shown++
		}
	}
	if shown < 100 {
		t.Errorf("too few frames: %d", shown)
	}
	t.Logf("%d frames through %d outputs", shown, len(all))
}
