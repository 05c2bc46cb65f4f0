//go:build guest

package guest

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/computer"
	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
	"github.com/c4hat/c4hat/internal/dev/e2e/uinput"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/levels"
)

// A match is played against the computer's first level, using only the joystick and the LEDs: from
// the demo through the menu to the end, and back to the menu.
func TestComputerMatch(t *testing.T) {
	stick := plug(t, uinput.RaspberryPi)
	p := run(t, "daemon", "--points", "1")
	menu := gametest.New(t, game.Config{Setup: game.Setup{Rules: board.Standard, Points: 1}, Attract: true, Forever: true})
	menu.Press(game.Left, game.Right) // any key, then the next choice
	p.hears(t)
	tap(t, stick, uinput.Left)
	tap(t, stick, uinput.Right)
	showing(t, menu.Frame(), 0)
	tap(t, stick, uinput.Middle) // to the levels
	menu.Press(game.Middle)
	showing(t, menu.Frame(), 0)
	for range levels.Beginner - levels.Novice { // the first time the computer is a beginner
		tap(t, stick, uinput.Left)
		menu.Press(game.Left)
		showing(t, menu.Frame(), 0)
	}
	time.Sleep(time.Second / 2) // an earlier second press of the same key is ignored
	tap(t, stick, uinput.Middle)

	var person computer.Computer
	at, err := board.NewPosition(board.Standard, board.Red)
	if err != nil {
		t.Fatal(err)
	}
	for cursor := 0; ; {
		at, cursor = computerAnswers(t, at)
		col, err := person.Choose(t.Context(), levels.Medium, at, 1)
		if err != nil {
			t.Fatal(err)
		}
		for range max(0, col-cursor) {
			tap(t, stick, uinput.Right)
		}
		for range max(0, cursor-col) {
			tap(t, stick, uinput.Left)
		}
		tap(t, stick, uinput.Down)
		if at, err = at.Drop(col); err != nil {
			t.Fatal(err)
		}
		if at.Outcome() != board.Playing {
			break
		}
	}
	if at.Outcome() != board.RedWins {
		t.Errorf("%v against a novice", at.Outcome())
	}
	showing(t, menu.Frame(), 0)
	_ = p.Process.Signal(syscall.SIGTERM)
	p.end(t, 0)
}

// computerAnswers waits for the person's cursor and returns the position that the LEDs then show,
// with the computer's reply if it was the computer's turn, and the cursor's column.
func computerAnswers(t *testing.T, at board.Position) (_ board.Position, cursor int) {
	t.Helper()
	candidates := []board.Position{at}
	if at.Turn() == board.Yellow {
		candidates = nil
		for col := range at.LegalMoves() {
			if next, err := at.Drop(col); err == nil {
				candidates = append(candidates, next)
			}
		}
	}
	shown := ""
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		leds, err := standin.ReadLEDs()
		if err != nil {
			t.Fatal(err)
		}
		shown = leds.String()
		cursor = strings.IndexByte(shown[:7], 'R')
		for _, p := range candidates {
			if cursor >= 0 && shown == aiming(p, cursor) {
				return p, cursor
			}
		}
	}
	t.Fatalf("no reply to\n%vthe LEDs show\n%s", at, shown)
	return at, cursor
}

// aiming returns what the LEDs show during a turn of red in the first round, with the cursor in a
// column.
func aiming(p board.Position, cursor int) string {
	var s strings.Builder
	s.WriteString("........"[:cursor] + "R" + "........"[cursor+1:] + "\n........\n")
	for row := 5; row >= 0; row-- {
		for col := range 7 {
			s.WriteByte(map[board.Disc]byte{board.Red: 'R', board.Yellow: 'Y', board.Empty: 'B'}[p.At(col, row)])
		}
		s.WriteString(".\n")
	}
	return s.String()
}
