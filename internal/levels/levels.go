// Package levels names the levels of the computer for the menu, the flags, the socket and
// the saved matches. Package computer decides how they play.
package levels

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Level is the strength of the computer, from 1 to [Count].
type Level int

const (
	Novice   Level = iota + 1 // a random column
	Beginner                  // like Easy, but sees each win or threat only half of the time
	Easy                      // wins or blocks with one disc if it can, otherwise plays a random column
	Medium                    // looks four plies ahead, but only two in one of five moves
	Hard                      // looks as far ahead as the limit on the number of positions allows
	Perfect                   // exact on the standard board
)

// Usual is the default level.
const Usual = Medium

var names = [...]string{"novice", "beginner", "easy", "medium", "hard", "perfect"}

const Count = len(names)

// Names returns the names of the levels, the weakest first.
func Names() []string { return slices.Clone(names[:]) }

// Want lists the names and numbers of the levels, for error messages.
func Want() string { return fmt.Sprintf("%s or 1 to %d", strings.Join(names[:], ", "), Count) }

// Parse reads a level's name or number. The error lists the levels.
func Parse(s string) (Level, error) {
	for i, name := range names {
		if s == name || s == strconv.Itoa(i+1) {
			return Level(i + 1), nil
		}
	}
	return 0, errors.New("must be " + Want())
}

func (l Level) String() string {
	if l < 1 || int(l) > Count {
		return "level " + strconv.Itoa(int(l))
	}
	return names[l-1]
}

// MarshalJSON writes the level's name: unlike its number, it keeps its meaning when a level is
// added.
func (l Level) MarshalJSON() ([]byte, error) { return json.Marshal(l.String()) }

// UnmarshalJSON reads a name or a number.
func (l *Level) UnmarshalJSON(data []byte) (err error) {
	if *l, err = Parse(strings.Trim(string(data), `"`)); err != nil {
		return fmt.Errorf("level: %w", err)
	}
	return nil
}
