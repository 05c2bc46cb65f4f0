package term

import (
	"cmp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/gdamore/tcell/v3"
)

// repeatWithin is the time within which the same key counts as a repeat of a held key, and a second click as
// part of a double click: terminals do not report that a key is held. Only keys that move or take back repeat.
const repeatWithin = 300 * time.Millisecond

// keys turns keys and mouse movements into events of the game.
type keys struct {
	last    game.Event // what the last key or click did
	at      time.Time
	buttons tcell.ButtonMask // the mouse buttons that are held down
	pointed int              // the last column or entry under the mouse, or -1
}

// once returns an event, or nil if it is a repeat.
func (k *keys) once(ev game.Event, now time.Time) game.Event {
	repeats := ev == k.last && now.Sub(k.at) < repeatWithin
	k.last, k.at = ev, now
	switch ev {
	case game.Press{Key: game.Left}, game.Press{Key: game.Right}, game.Less, game.More, game.Undo:
		return ev
	}
	if repeats {
		return nil
	}
	return ev
}

// standIns are letters that stand for other keys.
var standIns = map[rune]tcell.Key{'h': tcell.KeyLeft, 'j': tcell.KeyDown, 'k': tcell.KeyUp, 'l': tcell.KeyRight, ' ': tcell.KeyEnter}

// pressed and typed are what keys and letters do, if the screen shows nothing special.
var (
	pressed = map[tcell.Key]game.Event{
		tcell.KeyCtrlC:  game.Quit{Interrupted: true},
		tcell.KeyEscape: game.Back,
		tcell.KeyLeft:   game.Press{Key: game.Left},
		tcell.KeyRight:  game.Press{Key: game.Right},
		tcell.KeyUp:     game.Press{Key: game.Up},
		tcell.KeyDown:   game.Press{Key: game.Down},
		tcell.KeyEnter:  game.Press{Key: game.Middle},
	}
	typed = map[rune]game.Event{'u': game.Undo, '?': game.Hint, 'p': game.Pause, 'q': game.Quit{}}
)

// key returns the event of a key while a view is shown, or nil if it has none.
func (k *keys) key(ev *tcell.EventKey, v *game.View, now time.Time) game.Event {
	key, letter := ev.Key(), rune(0)
	if key == tcell.KeyRune {
		if ev.Modifiers()&(tcell.ModAlt|tcell.ModCtrl|tcell.ModMeta) != 0 {
			return nil
		}
		letter, _ = utf8.DecodeRuneInString(strings.ToLower(ev.Str()))
		key = cmp.Or(standIns[letter], key)
	}
	if does := action(key, letter, v); does != nil {
		return k.once(does, now)
	}
	return nil
}

// action returns what a key does. The menu and the pause screen are lists: up and down walk them.
func action(key tcell.Key, letter rune, v *game.View) game.Event {
	switch list := len(v.Choices.All()) > 0; {
	case letter == 'm' && !v.UnderWay && v.Phase.InMatch():
		return game.Back
	case letter == 'l' && v.Phase.Ends():
		return game.OpenLook
	case letter >= '1' && letter <= '8':
		return game.Column{Col: int(letter - '1')}
	case list && key == tcell.KeyUp:
		return game.Press{Key: game.Left}
	case list && key == tcell.KeyDown:
		return game.Press{Key: game.Right}
	case list && key == tcell.KeyLeft && v.Phase == game.Menu:
		return game.Less
	case list && key == tcell.KeyRight && v.Phase == game.Menu:
		return game.More
	case list && key == tcell.KeyEnter:
		return game.Choose{Entry: v.Choices.Chosen}
	case key == tcell.KeyDown && v.Phase == game.Hinting:
		return game.Column{Col: v.Cursor} // only space and Enter close a hint
	}
	return cmp.Or(pressed[key], typed[letter])
}

// mouse returns the event of the mouse over a column of the board or an entry of a list, or over
// neither if at is -1: moving the mouse moves the cursor or the selection, and a click drops a disc or
// takes the entry.
func (k *keys) mouse(at int, list bool, buttons tcell.ButtonMask, now time.Time) game.Event {
	clicked := buttons&^k.buttons&tcell.Button1 != 0
	moved := at != k.pointed
	k.buttons, k.pointed = buttons, at
	switch {
	case at < 0:
		return nil
	case clicked && list:
		return k.once(game.Choose{Entry: at}, now)
	case clicked:
		return k.once(game.Column{Col: at}, now)
	case moved && list:
		return game.Select{Entry: at}
	case moved:
		return game.Point{Col: at}
	}
	return nil
}
