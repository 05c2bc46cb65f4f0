package match

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Level is the strength of the computer, from 1 to [LevelCount].
type Level int

const (
	Novice   Level = iota + 1 // a random column
	Beginner                  // like Easy, but sees each win or threat only half of the time
	Easy                      // wins or blocks with one disc if it can, otherwise plays a random column
	Medium                    // looks four plies ahead, but only two in one of five moves
	Hard                      // looks as far ahead as the limit on the number of positions allows
	Perfect                   // exact on the standard board
)

// UsualLevel is the default level.
const UsualLevel = Medium

// LevelCount is the number of levels, and that of the strongest one.
const LevelCount = len(levelNames)

var levelNames = [...]string{"novice", "beginner", "easy", "medium", "hard", "perfect"}

// LevelNames returns the names of the levels, the weakest first.
func LevelNames() []string { return slices.Clone(levelNames[:]) }

var errLevel = fmt.Errorf("must be %s or 1 to %d", strings.Join(levelNames[:], ", "), LevelCount)

// ParseLevel reads a level's name or number. The error lists the levels.
func ParseLevel(s string) (Level, error) {
	for i, name := range levelNames {
		if s == name || s == strconv.Itoa(i+1) {
			return Level(i + 1), nil
		}
	}
	return 0, errLevel
}

func (l Level) String() string {
	if l < 1 || int(l) > LevelCount {
		return "level " + strconv.Itoa(int(l))
	}
	return levelNames[l-1]
}

// MarshalJSON writes the level's name: unlike its number, it keeps its meaning when a level is added.
func (l Level) MarshalJSON() ([]byte, error) { return json.Marshal(l.String()) }

// UnmarshalJSON reads a name or a number.
func (l *Level) UnmarshalJSON(data []byte) (err error) {
	if *l, err = ParseLevel(strings.Trim(string(data), `"`)); err != nil {
		return fmt.Errorf("level: %w", err)
	}
	return nil
}
