package term

import (
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/gdamore/tcell/v3"
)

func key(k tcell.Key, r rune) *tcell.EventKey {
	text := ""
	if r != 0 {
		text = string(r)
	}
	return tcell.NewEventKey(k, text, tcell.ModNone)
}

// turn is a view in which a player chooses a column.
var turn = game.View{Phase: game.Aim, UnderWay: true}

// What each key does on a turn, in a list, while a hint is shown, and when a line blinks.
func TestKeys(t *testing.T) {
	list := game.View{Phase: game.Menu, Choices: game.Choices{Names: [game.MaxChoices]string{"a", "b", "c"}, Chosen: 2}}
	pause, hint, won := list, game.View{Phase: game.Hinting, UnderWay: true, Cursor: 5}, game.View{Phase: game.Cheer}
	pause.Phase = game.Paused
	for _, tt := range []struct {
		view *game.View
		keys string // letters
		key  tcell.Key
		want game.Event
	}{
		{&turn, "k", tcell.KeyUp, game.Press{Key: game.Up}},
		{&turn, "j", tcell.KeyDown, game.Press{Key: game.Down}},
		{&turn, "h", tcell.KeyLeft, game.Press{Key: game.Left}},
		{&turn, "l", tcell.KeyRight, game.Press{Key: game.Right}},
		{&turn, " ", tcell.KeyEnter, game.Press{Key: game.Middle}},
		{&turn, "1", 0, game.Column{Col: 0}},
		{&turn, "8", 0, game.Column{Col: 7}},
		{&turn, "uU", 0, game.Undo},
		{&turn, "?", 0, game.Hint},
		{&turn, "pP", 0, game.Pause},
		{&turn, "q", 0, game.Quit{}},
		{&turn, "", tcell.KeyCtrlC, game.Quit{Interrupted: true}},
		{&turn, "", tcell.KeyEscape, game.Back},
		{&turn, "09xm", tcell.KeyF1, nil},
		{&list, "k", tcell.KeyUp, game.Press{Key: game.Left}},
		{&list, "j", tcell.KeyDown, game.Press{Key: game.Right}},
		{&list, "h", tcell.KeyLeft, game.Less},
		{&list, "l", tcell.KeyRight, game.More},
		{&list, " ", tcell.KeyEnter, game.Choose{Entry: 2}},
		{&list, "q", 0, game.Quit{}},
		{&pause, "j", tcell.KeyRight, game.Press{Key: game.Right}},
		{&pause, " ", tcell.KeyEnter, game.Choose{Entry: 2}},
		{&pause, "", tcell.KeyEscape, game.Back},
		{&pause, "p", 0, game.Pause},
		{&hint, "j6", tcell.KeyDown, game.Column{Col: 5}}, // drops
		{&hint, " ", tcell.KeyEnter, game.Press{Key: game.Middle}},
		{&won, "m", tcell.KeyEscape, game.Back},
		{&won, "l", 0, game.OpenLook},
		{&won, " ", tcell.KeyEnter, game.Press{Key: game.Middle}},
	} {
		events := []*tcell.EventKey{key(tt.key, 0)}
		if tt.key == 0 {
			events = nil
		}
		for _, letter := range tt.keys {
			events = append(events, key(tcell.KeyRune, letter))
		}
		for _, ev := range events {
			var k keys
			if got := k.key(ev, tt.view, start); got != tt.want {
				t.Errorf("%v, %s: %#v, want %#v", tt.view.Phase, ev.Name(), got, tt.want)
			}
		}
	}
	var k keys
	if got := k.key(tcell.NewEventKey(tcell.KeyRune, "q", tcell.ModAlt), &turn, start); got != nil {
		t.Errorf("alt-q: %v", got)
	}
}

// A key counts as a repeat if it comes within 300 ms of the last such key, even if that one was ignored: a held key
// drops one disc, however long it is held. Keys that move or take back repeat, and so do others after that time.
func TestRepeats(t *testing.T) {
	for _, tt := range []struct {
		letters string
		every   time.Duration
		want    string // what counts
	}{
		{"          ", time.Millisecond, " "},
		{"          ", 299 * time.Millisecond, " "},
		{"pppppppppp", 33 * time.Millisecond, "p"},
		{"kkkkkkkkkk", 33 * time.Millisecond, "k"},
		{"jjjjjjjjjj", 33 * time.Millisecond, "j"},
		{"??????????", 33 * time.Millisecond, "?"},
		{"1213 44231hhuu", time.Millisecond, "1213 4231hhuu"},
		{"333", 300 * time.Millisecond, "333"},
	} {
		var k keys
		counted := ""
		for i, letter := range tt.letters {
			if k.key(key(tcell.KeyRune, letter), &turn, start.Add(time.Duration(i)*tt.every)) != nil {
				counted += string(letter)
			}
		}
		if counted != tt.want {
			t.Errorf("%q every %v: %q counts", tt.letters, tt.every, counted)
		}
	}
}

// The mouse points at columns, or at the entries of a list, and a click takes one: a double click only one.
func TestMouse(t *testing.T) {
	list := game.View{Phase: game.Menu, Choices: game.Choices{Names: [game.MaxChoices]string{"a", "b", "c"}, Chosen: 2}}
	p, _ := simulate(t, leastWidth, leastHeight, "")
	_ = p.Show(list)
	l := p.layout()
	for y, want := range map[int]int{l.top - 1: -1, l.top: 0, l.top + 2: 2, l.top + 3: -1} {
		if at, on := p.pointed(l.text+3, y); at != want || !on {
			t.Errorf("line %d: entry %d", y, at)
		}
	}
	k := keys{pointed: -1}
	for i, tt := range []struct {
		at      int
		list    bool
		buttons tcell.ButtonMask
		want    game.Event
	}{
		{3, false, 0, game.Point{Col: 3}},
		{3, false, 0, nil}, // a cursor moved by keys is not pulled back
		{4, false, 0, game.Point{Col: 4}},
		{-1, false, 0, nil},
		{4, false, 0, game.Point{Col: 4}},
		{4, false, tcell.Button1, game.Column{Col: 4}},
		{4, false, tcell.Button1, nil}, // still held down
		{5, false, tcell.Button1, game.Point{Col: 5}},
		{5, false, 0, nil},
		{5, false, tcell.Button2, nil},
		{5, false, tcell.WheelUp, nil},
		{-1, false, tcell.Button1, nil},
		{2, false, tcell.Button1, game.Point{Col: 2}}, // the button was pressed outside the board
		{2, false, 0, nil},
		{2, false, tcell.Button1, game.Column{Col: 2}},
		{2, false, 0, nil},
		{2, false, tcell.Button1, nil}, // the second click
		{1, true, 0, game.Select{Entry: 1}},
		{1, true, tcell.Button1, game.Choose{Entry: 1}},
	} {
		if got := k.mouse(tt.at, tt.list, tt.buttons, start.Add(time.Duration(i)*100*time.Millisecond)); got != tt.want {
			t.Errorf("%d: at %d, buttons %b: %v, want %v", i, tt.at, tt.buttons, got, tt.want)
		}
	}
}
