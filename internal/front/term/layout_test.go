package term

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// Everything fits in a window of any size. The mouse points at a column if it is over the column's
// discs or the number below them, and at no column if it is beside the picture.
func TestLayout(t *testing.T) {
	for _, r := range []board.Rules{board.Standard, board.FullMatrix, {Columns: 8, Rows: 7, Connect: 4}, {Columns: 2, Rows: 3, Connect: 2}} {
		for width := leastWidth; width < 200; width += 7 {
			for height := leastHeight; height < 70; height += 4 {
				for _, coarse := range []bool{false, true} {
					l := layoutFor(width, height, r, coarse)
					if err := checkLayout(l, width, height); err != "" {
						t.Fatalf("%v in %dx%d: %+v: %s", r, width, height, l, err)
					}
				}
			}
		}
	}
}

func checkLayout(l layout, width, height int) string {
	foot := l.foot() + numberHeight
	if l.small {
		foot += helpHeight
	}
	if l.left < 0 || l.left+l.width >= l.text || l.text+textWidth > width || l.top < headHeight || foot > height {
		return "it does not fit"
	}
	seen := map[int]int{}
	for y := range 2 * l.height {
		for x := range l.width {
			if col, row, _, ok := l.led(x, y, false); ok {
				seen[board.MaxSide*row+col]++
				if got := l.column(l.left+x, l.top+y/2); !l.small && got != col {
					return fmt.Sprintf("LED %d, %d at %d, %d is in column %d", col, row, x, y, got)
				}
			}
		}
	}
	for led, pixels := range seen {
		x, y := l.middle(led%board.MaxSide, led/board.MaxSide)
		if pixels != l.wide*l.high || l.column(x, y) != led%board.MaxSide {
			return fmt.Sprintf("LED %d has %d pixels around %d, %d", led, pixels, x, y)
		}
	}
	if len(seen) != l.columns*l.rows {
		return fmt.Sprintf("%d LEDs", len(seen))
	}
	for _, at := range [][2]int{{l.left - 1, l.top}, {l.left + l.width, l.top}, {l.left, l.top - 1}, {l.left, l.foot() + 1}} {
		if col := l.column(at[0], at[1]); col >= 0 {
			return fmt.Sprintf("%v is in column %d", at, col)
		}
	}
	return ""
}

func TestWrap(t *testing.T) {
	for _, tt := range []struct {
		text, gap string
		want      []string
	}{
		{"", " ", nil},
		{"column 4 is full", " ", []string{"column 4 is full"}},
		{"there is no disc to take back", " ", []string{"there is no disc to", "take back"}},
		{"arrows move  space drop  1-7 column", "  ", []string{"arrows move", "space drop  1-7 column"}},
		{"the service has stopped: waiting  q leave", "  ", []string{"the service has", "stopped: waiting", "q leave"}},
		{"12345678901234567890123456", " ", []string{"1234567890123456789012", "3456"}},
	} {
		if got := wrap(tt.text, tt.gap, textWidth); !slices.Equal(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.text, got, tt.want)
		}
	}
}

// In a small window, the reason comes first, sentence by sentence.
func TestReasonsFit(t *testing.T) {
	g, err := board.ParseGame(board.Standard, board.Red, "4444445")
	if err != nil {
		t.Fatal(err)
	}
	last := game.Verdict{Known: true, Decided: true, Before: 3, After: -5,
		Why:    game.Why{Kind: game.Threats, Cells: 1<<2 | 1<<44, Line: "1"},
		Better: game.Why{Kind: game.Zugzwang, Cells: 1<<4 | 1<<49, Line: "2"}}
	v := game.View{Phase: game.Looking, Record: game.Record{Game: g}, Look: game.Look{Last: last, Exact: true}}
	const lost, better = "Disc 7 lost the game: yellow could then get two threats, at columns 1 and 6.",
		"Column 2 would have won, because red's winning cells, column 1, row 5, and column 7, row 2, decide once the other columns are full."
	for _, tt := range []struct {
		room  int
		shown game.Variation
		want  string
	}{
		{20, "", lost + "  " + better + "  red: column 5, row 1  red 0, yellow 0 first to 0 points"},
		{13, "", lost + " " + better + " red: column 5, row 1"},
		{11, "", lost + " " + better},
		{8, "", lost + " red: column 5, row 1 red 0, yellow 0 first to 0 points"},
		{8, game.Improvement, better},
	} {
		v.Look.Variation = tt.shown
		lines := beside(&v, worth{}, true, tt.room, "")
		if got := strings.Join(lines, " "); got != tt.want || len(lines) > tt.room {
			t.Errorf("in %d lines, %q:\n%q\n%q", tt.room, tt.shown, got, tt.want)
		}
	}
}
