package settings

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/c4hat/c4hat/internal/pi"
)

// The types of the values of flags and keys. Set checks a value. Words returns the completions that
// a shell offers; some are followed by a tab and their meaning.

type Size struct{ Columns, Rows int }

func (v *Size) Set(s string) error {
	columns, rows, err := board.ParseSize(s)
	if err != nil {
		return errors.New("must be COLUMNSxROWS, 1 to 8 each, as in 7x6")
	}
	*v = Size{columns, rows}
	return nil
}
func (v *Size) String() string { return fmt.Sprintf("%dx%d", v.Columns, v.Rows) }
func (v *Size) Type() string   { return "COLUMNSxROWS" }

// Rules returns the rules of a board of that size, with four in a line.
func (v *Size) Rules() board.Rules {
	return board.Rules{Columns: v.Columns, Rows: v.Rows, Connect: board.Standard.Connect}
}

func (v *Size) Words() []string {
	return []string{"7x6\tConnect-4", "8x8\tthe full matrix", "8x7", "7x7", "6x5", "5x4"}
}

type Number struct{ N, Least, Most int }

func (v *Number) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < v.Least || n > v.Most {
		return fmt.Errorf("must be a number from %d to %d", v.Least, v.Most)
	}
	v.N = n
	return nil
}
func (v *Number) String() string { return strconv.Itoa(v.N) }
func (v *Number) Type() string   { return "N" }

func (v *Number) Words() (words []string) {
	if v.Most-v.Least < 10 {
		for n := v.Least; n <= v.Most; n++ {
			words = append(words, strconv.Itoa(n))
		}
		return words
	}
	for n := v.Most; n >= max(v.Least, 1); n /= 2 {
		words = append(words, strconv.Itoa(n))
	}
	return words
}

type Choice struct {
	Word    string
	Choices []string
}

func (v *Choice) Set(s string) error {
	if !slices.Contains(v.Choices, s) {
		return fmt.Errorf("must be %s", orList(v.Choices))
	}
	v.Word = s
	return nil
}
func (v *Choice) String() string  { return v.Word }
func (v *Choice) Words() []string { return v.Choices }

// Type returns the choices if they leave room for the flag's text; otherwise the text lists them.
func (v *Choice) Type() string {
	if all := strings.Join(v.Choices, "|"); len(all) <= 20 {
		return all
	}
	return "NAME"
}

// Duration is a time that is not negative.
type Duration struct{ D time.Duration }

func (v *Duration) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return errors.New("must be a time, as in 10m or 90s, or 0 for never")
	}
	v.D = d
	return nil
}
func (v *Duration) String() string {
	s := v.D.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	return s
}
func (v *Duration) Type() string    { return "TIME" }
func (v *Duration) Words() []string { return []string{"10m", "1h", "90s", "0\tnever"} }

type Seed struct{ N uint64 }

func (v *Seed) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return fmt.Errorf("must be a whole number from 0 to %d", uint64(math.MaxUint64))
	}
	if n == 0 {
		n = math.MaxUint64 // in a request to the service, 0 means no seed
	}
	v.N = n
	return nil
}
func (v *Seed) String() string  { return "" } // the default is a new random number each time
func (v *Seed) Type() string    { return "N" }
func (v *Seed) Words() []string { return nil }

// orList joins words as in "a, b or c".
func orList(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// Level is a level of the computer, by its name or number.
type Level struct{ Level levels.Level }

func (v *Level) Set(s string) error {
	level, err := levels.Parse(s)
	if err != nil {
		return err
	}
	v.Level = level
	return nil
}
func (v *Level) String() string { return v.Level.String() }
func (v *Level) Type() string   { return fmt.Sprintf("NAME|1-%d", levels.Count) }
func (v *Level) Words() (words []string) {
	for i, name := range levels.Names() {
		words = append(words, fmt.Sprintf("%s\tlevel %d", name, i+1))
	}
	return words
}

// Bus is the path of an I²C bus, "off", or empty for the default.
type Bus string

func (v *Bus) Set(s string) error {
	if s != "" && s != "off" {
		number, found := strings.CutPrefix(s, "/dev/i2c-")
		if n, err := strconv.ParseUint(number, 10, 8); !found || err != nil || strconv.FormatUint(n, 10) != number {
			return fmt.Errorf("must be an I2C bus, as in %s, or off", pi.Bus)
		}
	}
	*v = Bus(s)
	return nil
}
func (v *Bus) String() string  { return string(*v) }
func (v *Bus) Type() string    { return "PATH" }
func (v *Bus) Words() []string { return []string{pi.Bus, "off\tonly the kernel's drivers"} }
