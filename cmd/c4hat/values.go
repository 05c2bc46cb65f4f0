package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/levels"
)

// The values of flags, and of the settings in the configuration file, which go
// the same way: each checks what it is set to, and offers shells what it can be.

// sizeValue is a board's size.
type sizeValue struct{ columns, rows int }

func (v *sizeValue) Set(s string) (err error) {
	columns, rows, err := board.ParseSize(s)
	if err != nil {
		return fmt.Errorf("want COLUMNSxROWS, 1 to 8 each, as in 7x6")
	}
	v.columns, v.rows = columns, rows
	return nil
}
func (v *sizeValue) String() string { return fmt.Sprintf("%dx%d", v.columns, v.rows) }
func (v *sizeValue) Type() string   { return "COLUMNSxROWS" }
func (v *sizeValue) words() []string {
	return []string{"7x6\tConnect-4", "8x8\tthe full matrix", "8x7", "7x7", "6x5", "5x4"}
}

// numberValue is a whole number in a range.
type numberValue struct{ n, least, most int }

func (v *numberValue) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < v.least || n > v.most {
		return fmt.Errorf("want a number from %d to %d", v.least, v.most)
	}
	v.n = n
	return nil
}
func (v *numberValue) String() string { return strconv.Itoa(v.n) }
func (v *numberValue) Type() string   { return "N" }

// words are all numbers where they are few, else ever smaller ones.
func (v *numberValue) words() (words []string) {
	if v.most-v.least < 10 {
		for n := v.least; n <= v.most; n++ {
			words = append(words, strconv.Itoa(n))
		}
		return words
	}
	for n := v.most; n >= max(v.least, 1); n /= 2 {
		words = append(words, strconv.Itoa(n))
	}
	return words
}

// choiceValue is one of a few words.
type choiceValue struct {
	word    string
	choices []string
}

func (v *choiceValue) Set(s string) error {
	if !slices.Contains(v.choices, s) {
		return fmt.Errorf("want %s", orList(v.choices))
	}
	v.word = s
	return nil
}
func (v *choiceValue) String() string  { return v.word }
func (v *choiceValue) Type() string    { return strings.Join(v.choices, "|") }
func (v *choiceValue) words() []string { return v.choices }

// timeValue is a duration that is not negative.
type timeValue struct{ d time.Duration }

func (v *timeValue) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return fmt.Errorf("want a time, as in 10m or 90s, or 0 for never")
	}
	v.d = d
	return nil
}
func (v *timeValue) String() string {
	s := v.d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	return s
}
func (v *timeValue) Type() string    { return "TIME" }
func (v *timeValue) words() []string { return []string{"10m", "1h", "90s", "0\tnever"} }

// seedValue is the seed of all that is left to chance.
type seedValue struct{ n uint64 }

func (v *seedValue) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return fmt.Errorf("want a whole number from 0 to %d", uint64(math.MaxUint64))
	}
	if n == 0 {
		n = math.MaxUint64 // one as good: to a daemon that is asked for a match 0 is none
	}
	v.n = n
	return nil
}
func (v *seedValue) String() string  { return "" } // drawn anew each time
func (v *seedValue) Type() string    { return "N" }
func (v *seedValue) words() []string { return nil }

// orList is "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// levelValue is a level of the computer, by its name or number.
type levelValue struct{ level levels.Level }

func (v *levelValue) Set(s string) error {
	level, err := levels.Parse(s)
	if err != nil {
		return err
	}
	v.level = level
	return nil
}
func (v *levelValue) String() string { return v.level.String() }
func (v *levelValue) Type() string   { return fmt.Sprintf("NAME|1-%d", levels.Count) }
func (v *levelValue) words() (words []string) {
	for i, name := range levels.Names() {
		words = append(words, fmt.Sprintf("%s\tlevel %d", name, i+1))
	}
	return words
}

// busValue is an I²C bus by its file, "off", or empty for the usual one.
type busValue string

func (v *busValue) Set(s string) error {
	if s != "" && s != "off" {
		number, found := strings.CutPrefix(s, "/dev/i2c-")
		if n, err := strconv.ParseUint(number, 10, 8); !found || err != nil || strconv.FormatUint(n, 10) != number {
			return fmt.Errorf("want a bus, as in %s, or off", usualBus)
		}
	}
	*v = busValue(s)
	return nil
}
func (v *busValue) String() string  { return string(*v) }
func (v *busValue) Type() string    { return "PATH" }
func (v *busValue) words() []string { return []string{usualBus, "off\tonly by the kernel's drivers"} }
