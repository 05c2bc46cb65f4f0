// Package levels names the levels that the computer plays at, for all who speak of
// them: the menu, the flags, the socket, the files of matches. How well each of them
// plays is up to internal/cpu.
package levels

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Level is how well the computer plays, from 1 to [Count].
type Level int

// The levels.
const (
	Novice  Level = iota + 1 // a random column
	Easy                     // wins and blocks where one disc does it, else random
	Medium                   // looks a few plies ahead, and sometimes fewer
	Hard                     // looks as far as its budget of positions goes
	Perfect                  // knows
)

// Usual is the level of a computer of which nothing is said.
const Usual = Medium

var names = [...]string{"novice", "easy", "medium", "hard", "perfect"}

// Count is the number of levels.
const Count = len(names)

// Names are the levels by name, the weakest first.
func Names() []string { return slices.Clone(names[:]) }

// Want says what a level can be.
func Want() string { return fmt.Sprintf("%s or 1 to %d", strings.Join(names[:], ", "), Count) }

// Parse reads a level's name or number. The error says what there is.
func Parse(s string) (Level, error) {
	for i, name := range names {
		if s == name || s == strconv.Itoa(i+1) {
			return Level(i + 1), nil
		}
	}
	return 0, errors.New("want " + Want())
}

// String is the level's name.
func (l Level) String() string {
	if l < 1 || int(l) > Count {
		return "level " + strconv.Itoa(int(l))
	}
	return names[l-1]
}
