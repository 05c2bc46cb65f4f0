package term

import (
	"cmp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/gdamore/tcell/v3"
)

// repeatWithin is the time within which a second press counts as a repeat of a held key, and a
// second click as part of a double click: terminals do not report that a key is held.
const repeatWithin = 300 * time.Millisecond

// keys turns keys and mouse movements into events of the game. It remembers what it needs to detect
// repeats.
type keys struct {
	drops   run              // presses of all keys that drop a disc
	digit   rune             // the last digit
	pages   run              // presses of keys that change the whole picture
	buttons tcell.ButtonMask // the mouse buttons that are held down
	pointed int              // the last column or entry under the mouse, or -1
}

// run is a series of presses, each soon after the last.
type run struct {
	last   time.Time
	length int
}

// again adds a press and returns the new length.
func (r *run) again(now time.Time) int {
	if r.last.IsZero() || now.Sub(r.last) >= repeatWithin {
		r.length = 0
	}
	r.last = now
	r.length++
	return r.length
}

// standIns are letters that stand for other keys.
var standIns = map[rune]tcell.Key{'h': tcell.KeyLeft, 'j': tcell.KeyDown, 'k': tcell.KeyUp, 'l': tcell.KeyRight, ' ': tcell.KeyEnter}

// key returns the event of a key while a view is shown, or nil if it has none. The menu and the pause
// screen are lists: up and down walk them.
func (k *keys) key(ev *tcell.EventKey, v *game.View, now time.Time) game.Event {
	key, letter := ev.Key(), rune(0)
	if key == tcell.KeyRune {
		if ev.Modifiers()&(tcell.ModAlt|tcell.ModCtrl|tcell.ModMeta) != 0 {
			return nil
		}
		letter, _ = utf8.DecodeRuneInString(strings.ToLower(ev.Str()))
		key = cmp.Or(standIns[letter], key)
	}
	switch list := len(v.Choices.All()) > 0; {
	case key == tcell.KeyCtrlC:
		return game.Quit{Interrupted: true}
	case key == tcell.KeyEscape, letter == 'm' && !v.UnderWay && v.Phase.InMatch():
		return k.page(game.Back, now)
	case letter == 'l' && v.Phase >= game.Cheer && v.Phase <= game.Clear:
		return game.OpenLook
	case list && key == tcell.KeyUp:
		return game.Press{Key: game.Left}
	case list && key == tcell.KeyDown:
		return game.Press{Key: game.Right}
	case list && key == tcell.KeyLeft && v.Phase == game.Menu:
		return game.Less
	case list && key == tcell.KeyRight && v.Phase == game.Menu:
		return game.More
	case list && key == tcell.KeyEnter:
		return k.drop(game.Choose{Entry: v.Choices.Chosen}, now)
	case key == tcell.KeyDown && v.Phase == game.Hinting:
		return k.drop(game.Column{Col: v.Cursor}, now) // only space and Enter close a hint
	}
	switch key {
	case tcell.KeyUp:
		return k.page(game.Press{Key: game.Up}, now)
	case tcell.KeyLeft:
		return game.Press{Key: game.Left}
	case tcell.KeyRight:
		return game.Press{Key: game.Right}
	case tcell.KeyDown:
		return k.drop(game.Press{Key: game.Down}, now)
	case tcell.KeyEnter:
		return k.drop(game.Press{Key: game.Middle}, now)
	}
	switch letter {
	case '1', '2', '3', '4', '5', '6', '7', '8':
		if letter != k.digit { // a different digit is not a repeat: the game keeps it for the next turn
			k.digit, k.drops = letter, run{}
		}
		return k.drop(game.Column{Col: int(letter - '1')}, now)
	case 'u':
		return game.Undo
	case '?':
		return k.page(game.Hint, now)
	case 'p':
		return k.page(game.Pause, now)
	case 'q':
		return game.Quit{}
	}
	return nil
}

// drop returns the event of a key that drops a disc, or nil if the key is a repeat.
func (k *keys) drop(ev game.Event, now time.Time) game.Event {
	if k.drops.again(now) > 1 {
		return nil
	}
	return ev
}

// page returns the event of a key that changes the whole picture, or nil from its second repeat
// on: a held key would make the screen flash, but two presses may be intended.
func (k *keys) page(ev game.Event, now time.Time) game.Event {
	if k.pages.again(now) > 2 {
		return nil
	}
	return ev
}

// mouse returns the event of the mouse over a column of the board or an entry of a list, or over
// neither if at is -1: moving the mouse moves the cursor or the selection, and a click drops a disc or
// takes the entry.
func (k *keys) mouse(at int, list bool, buttons tcell.ButtonMask, now time.Time) game.Event {
	clicked := buttons&^k.buttons&tcell.Button1 != 0
	k.buttons = buttons
	moved := at != k.pointed
	k.pointed = at
	switch {
	case at < 0:
		return nil
	case clicked && list:
		return k.drop(game.Choose{Entry: at}, now)
	case clicked:
		return k.drop(game.Column{Col: at}, now)
	case moved && list:
		return game.Select{Entry: at}
	case moved:
		return game.Point{Col: at}
	}
	return nil
}
