package main

import (
	"log/slog"
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

// All outputs show every kind of LED in the same colour, at every place.
func TestOutputsAgree(t *testing.T) {
	t.Parallel()
	all := outputs(t)
	view := words.With(gametest.New(t, game.Config{Setup: game.Setup{Rules: board.Standard, Points: 2}}).View())
	view.Phase = game.Score // a phase in which a terminal draws the LEDs, not a board
	colours := strings.NewReplacer("O", "B", "o", "b", "W", "G", "w", "g", "D", "W", "d", "w", "L", "W", "l", "w")
	const kinds = ".ORYBWDLorybwdl"
	for shift := range kinds {
		var letters strings.Builder
		for i := range view.Frame {
			kind := kinds[(i+i/8+shift)%len(kinds)]
			view.Frame[i], _ = game.ParseLED(kind)
			letters.WriteByte(kind)
			if i%8 == 7 {
				letters.WriteByte('\n')
			}
		}
		want := colours.Replace(letters.String())
		for name, o := range all {
			for range 2 { // the HAT takes the second view after it has shown the first
				must(t, o.panel.Show(view))
			}
			if got := o.seen(); got != want {
				t.Fatalf("%s shows\n%swant\n%s", name, got, want)
			}
		}
	}
}
