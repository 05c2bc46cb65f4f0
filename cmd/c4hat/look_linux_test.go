package main

import (
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/light"
)

// lit returns the picture that letters describe.
func lit(t testing.TB, rows ...string) light.Frame {
	t.Helper()
	var f game.Frame
	for y, row := range rows {
		for x := range row {
			f[8*y+x], _ = game.ParseLED(row[x])
		}
	}
	return light.New(light.Classic, light.Full).Frame(&f)
}

// played returns a folder with a finished match of one round.
func played(t testing.TB, moves string) (state string) {
	t.Helper()
	state = filepath.Join(t.TempDir(), "state")
	p := startWith(t, strings.NewReader(strings.Join(strings.Split(moves, ""), "\n")+"\n"), nil, "c4hat", "play", "--points", "1", "--state", state)
	if err := p.Wait(); err != nil {
		t.Fatal(err, p.errs.String())
	}
	return state
}

// The last match can be reviewed on the HAT with the joystick alone, even after a restart, and the
// solver's verdicts are shown.
func TestLookBackOnHAT(t *testing.T) {
	h := newFileHAT(t)
	start(t, nil, "c4hat", "daemon", "--fb", h.fb, "--stick", h.stick, "--state", played(t, "51525374"), "--socket", filepath.Join(t.TempDir(), "socket"))
	eventually(t, func() bool { return h.leds(t) != strings.Repeat("\xff", 128) && h.leds(t) != dark }, func() string { return "no demo" })
	h.tap(t, keyEnter, keyLeft, keyLeft, keyLeft, keyEnter)
	h.shows(t, lit(t, "", "", "ooooooo.", "ooooooo.", "ooooooo.", "ooooroo.", "ooooroo.", "YYYYror.")) // the line stands out
	h.tap(t, keyUp, keyLeft)
	h.shows(t, lit(t, "......R.", "...WW...", "OOOOOOO.", "OOOOOOO.", "OOOOOOO.", "OOOOROO.", "OOOOROO.", "YYYOROO."))
	h.tap(t, keyRight) // the disc that lost the match blinks, and nothing else is shown
	h.shows(t, lit(t, "", "", "OOOOOOO.", "OOOOOOO.", "OOOOOOO.", "OOOOROO.", "OOOOROO.", "YYYWRO.."))
}

// BenchmarkLookBackKey measures the time from a press of left until the LEDs show the step, while
// the solver analyses a hard game.
func BenchmarkLookBackKey(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var moves string
	for len(moves) < 40 { // fill the board of the solver's hardest position almost completely
		g, err := board.ParseGame(board.Standard, board.Red, "1322613773")
		must(b, err)
		for position := g.Position(); position.Outcome() == board.Playing; position = g.Position() {
			_ = g.Play(r.IntN(7)) // a full column is an error; try another
		}
		moves = g.String()
	}
	var slowest time.Duration
	for b.Loop() {
		h := newFileHAT(b)
		start(b, nil, "c4hat", "daemon", "--fb", h.fb, "--stick", h.stick, "--state", played(b, moves), "--socket", filepath.Join(b.TempDir(), "socket"))
		eventually(b, func() bool { return h.leds(b) != strings.Repeat("\xff", 128) && h.leds(b) != dark }, func() string { return "no demo" })
		h.tap(b, keyEnter, keyLeft, keyLeft, keyLeft, keyEnter)
		time.Sleep(50 * time.Millisecond)
		for range len(moves) {
			was, began := h.leds(b), time.Now()
			h.tap(b, keyLeft)
			eventually(b, func() bool { return h.leds(b) != was }, func() string { return "a key changed nothing" })
			slowest = max(slowest, time.Since(began))
		}
	}
	b.ReportMetric(float64(slowest.Microseconds())/1000, "ms/slowest-key")
}
