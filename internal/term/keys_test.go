package term

import (
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/gdamore/tcell/v2"
)

func key(k tcell.Key, r rune) *tcell.EventKey { return tcell.NewEventKey(k, r, tcell.ModNone) }

func TestKeys(t *testing.T) {
	tests := []struct {
		key  tcell.Key
		rune rune
		want game.Event
	}{
		{tcell.KeyUp, 0, game.Press{Key: game.Up}},
		{tcell.KeyDown, 0, game.Press{Key: game.Down}},
		{tcell.KeyLeft, 0, game.Press{Key: game.Left}},
		{tcell.KeyRight, 0, game.Press{Key: game.Right}},
		{tcell.KeyEnter, 0, game.Press{Key: game.Middle}},
		{tcell.KeyRune, ' ', game.Press{Key: game.Middle}},
		{tcell.KeyRune, 'h', game.Press{Key: game.Left}},
		{tcell.KeyRune, 'j', game.Press{Key: game.Down}},
		{tcell.KeyRune, 'k', game.Press{Key: game.Up}},
		{tcell.KeyRune, 'l', game.Press{Key: game.Right}},
		{tcell.KeyRune, '1', game.Column{Col: 0}},
		{tcell.KeyRune, '8', game.Column{Col: 7}},
		{tcell.KeyRune, 'u', game.Undo},
		{tcell.KeyRune, '?', game.Hint},
		{tcell.KeyRune, 'p', game.Pause},
		{tcell.KeyRune, 'q', game.Quit{}},
		{tcell.KeyCtrlC, 3, game.Quit{Interrupted: true}},
		{tcell.KeyRune, '0', nil},
		{tcell.KeyRune, '9', nil},
		{tcell.KeyRune, 'x', nil},
		{tcell.KeyEscape, 0, nil},
		{tcell.KeyF1, 0, nil},
	}
	for _, tt := range tests {
		var k keys
		if got := k.key(key(tt.key, tt.rune), start); got != tt.want {
			t.Errorf("%v %q: %#v, want %#v", tt.key, tt.rune, got, tt.want)
		}
	}
	var k keys
	if got := k.key(tcell.NewEventKey(tcell.KeyRune, 'q', tcell.ModAlt), start); got != nil {
		t.Errorf("alt-q: %v", got)
	}
}

// A key that drops a disc counts as a repeat if it comes within 300 ms of the last such key, even
// if that one was ignored: a held key drops one disc, however long it is held.
func TestRepeatedDrops(t *testing.T) {
	mash := []*tcell.EventKey{key(tcell.KeyRune, ' '), key(tcell.KeyEnter, 0), key(tcell.KeyDown, 0),
		key(tcell.KeyRune, 'j')}
	for _, every := range []time.Duration{time.Millisecond, 33 * time.Millisecond, 299 * time.Millisecond} {
		var k keys
		for i := range 100 {
			got := k.key(mash[i%len(mash)], start.Add(time.Duration(i)*every))
			if (got != nil) != (i == 0) {
				t.Fatalf("every %v, press %d: %v", every, i, got)
			}
		}
	}
	// Every digit that is typed fast drops a disc, unless the digit is the same as the last one.
	var typed keys
	for i, r := range "1213 44231" {
		got := typed.key(key(tcell.KeyRune, r), start.Add(time.Duration(i)*time.Millisecond))
		if repeats := i == 4 || i == 6; (got == nil) != repeats {
			t.Errorf("digit %d, %c: %v", i, r, got)
		}
	}
	var k keys
	for i := range 10 {
		now := start.Add(time.Duration(i) * 300 * time.Millisecond)
		if got := k.key(key(tcell.KeyRune, '3'), now); got != (game.Column{Col: 2}) {
			t.Fatalf("press %d: %v", i, got)
		}
		if got := k.key(key(tcell.KeyLeft, 0), now); got == nil {
			t.Fatal("a key that drops nothing was ignored")
		}
	}

	// A held key that changes the whole picture has an effect only twice.
	for _, held := range []*tcell.EventKey{key(tcell.KeyRune, 'p'), key(tcell.KeyUp, 0), key(tcell.KeyRune, 'k'), key(tcell.KeyRune, '?')} {
		var k keys
		for i := range 100 {
			got := k.key(held, start.Add(time.Duration(i)*33*time.Millisecond))
			if (got != nil) != (i < 2) {
				t.Fatalf("%v held, repeat %d: %v", held.Name(), i, got)
			}
		}
	}
}

func TestMouse(t *testing.T) {
	now := start
	later := func() time.Time { now = now.Add(time.Second); return now }
	k := keys{pointed: -1}
	tests := []struct {
		col     int
		buttons tcell.ButtonMask
		want    game.Event
	}{
		{3, 0, game.Point{Col: 3}},
		{3, 0, nil}, // a cursor moved by keys is not pulled back
		{4, 0, game.Point{Col: 4}},
		{-1, 0, nil},
		{4, 0, game.Point{Col: 4}},
		{4, tcell.Button1, game.Column{Col: 4}},
		{4, tcell.Button1, nil}, // still held down
		{5, tcell.Button1, game.Point{Col: 5}},
		{5, 0, nil},
		{5, tcell.Button2, nil},
		{5, tcell.WheelUp, nil},
		{-1, tcell.Button1, nil},
		{2, tcell.Button1, game.Point{Col: 2}}, // the button was pressed outside the board
	}
	for i, tt := range tests {
		if got := k.mouse(tt.col, tt.buttons, later()); got != tt.want {
			t.Errorf("%d: column %d, buttons %b: %v, want %v", i, tt.col, tt.buttons, got, tt.want)
		}
	}
	// A double click drops one disc.
	_ = k.mouse(2, 0, later())
	if got := k.mouse(2, tcell.Button1, later()); got != (game.Column{Col: 2}) {
		t.Error(got)
	}
	_ = k.mouse(2, 0, now.Add(100*time.Millisecond))
	if got := k.mouse(2, tcell.Button1, now.Add(200*time.Millisecond)); got != nil {
		t.Error("a double click dropped two discs")
	}
}
