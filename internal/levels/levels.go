// Package levels names the levels of the computer for the menu, the flags, the socket and
// the saved matches. Package cpu decides how they play.
package levels

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Level is the strength of the computer, from 1 to [Count].
type Level int

// The levels.
const (
	Novice  Level = iota + 1 // a random column
	Easy                     // wins or blocks in one if it can, otherwise random
	Medium                   // looks a few plies ahead, and sometimes fewer
	Hard                     // looks as far ahead as its budget of positions allows
	Perfect                  // exact on the standard board
)

// Usual is the default level.
const Usual = Medium

var names = [...]string{"novice", "easy", "medium", "hard", "perfect"}

// Count is the number of levels.
const Count = len(names)

// Names returns the names of the levels, the weakest first.
func Names() []string { return slices.Clone(names[:]) }

// Want lists the levels, for errors.
func Want() string { return fmt.Sprintf("%s or 1 to %d", strings.Join(names[:], ", "), Count) }

// Parse reads a level's name or number. The error lists the levels.
func Parse(s string) (Level, error) {
	for i, name := range names {
		if s == name || s == strconv.Itoa(i+1) {
			return Level(i + 1), nil
		}
	}
	return 0, errors.New("want " + Want())
}

// String returns the level's name.
func (l Level) String() string {
	if l < 1 || int(l) > Count {
		return "level " + strconv.Itoa(int(l))
	}
	return names[l-1]
}
