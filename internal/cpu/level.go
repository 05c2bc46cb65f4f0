package cpu

import (
	"errors"
	"strconv"
)

// Level is how well the computer plays.
type Level int

// The levels.
const (
	Novice  Level = iota + 1 // a random column
	Easy                     // wins and blocks where one disc does it, else random
	Medium                   // looks a few plies ahead, and sometimes fewer
	Hard                     // looks as far as its budget of positions goes
	Perfect                  // knows
)

var levelNames = [...]string{"novice", "easy", "medium", "hard", "perfect"}

// Levels are all there are, the weakest first.
func Levels() []Level {
	all := make([]Level, len(levelNames))
	for i := range all {
		all[i] = Level(i + 1)
	}
	return all
}

// ErrLevel is the error of a word that is no level.
var ErrLevel = errors.New("cpu: levels are novice, easy, medium, hard and perfect, or 1 to 5")

// ParseLevel reads a level's name or number.
func ParseLevel(s string) (Level, error) {
	for i, name := range levelNames {
		if s == name || s == strconv.Itoa(i+1) {
			return Level(i + 1), nil
		}
	}
	return 0, ErrLevel
}

// String is the level's name.
func (l Level) String() string {
	if l < Novice || l > Perfect {
		return "level " + strconv.Itoa(int(l))
	}
	return levelNames[l-1]
}
