package settings

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/c4hat/c4hat/internal/pi"
)

// Value is the value of a flag and of a key, which it keeps in a variable. Its errors follow the name
// of the flag or the key, as in "must be a number".
type Value struct {
	kind  string             // for help
	words []string           // completions that a shell offers, some with a tab and their meaning
	set   func(string) error // sets the variable
	text  func() string
}

func (v *Value) Set(s string) error { return v.set(s) }
func (v *Value) String() string     { return v.text() }
func (v *Value) Type() string       { return v.kind }
func (v *Value) Words() []string    { return v.words }

// Number is a number from least to most.
func Number(p *int, least, most int) *Value {
	v := &Value{kind: "N", text: func() string { return strconv.Itoa(*p) }}
	v.set = func(s string) error {
		n, err := strconv.Atoi(s)
		if err != nil || n < least || n > most {
			return fmt.Errorf("must be a number from %d to %d", least, most)
		}
		*p = n
		return nil
	}
	if most-least < 10 {
		for n := least; n <= most; n++ {
			v.words = append(v.words, strconv.Itoa(n))
		}
		return v
	}
	for n := most; n >= max(least, 1); n /= 2 {
		v.words = append(v.words, strconv.Itoa(n))
	}
	return v
}

// orAuto adds the word auto to a value; is says whether that was chosen.
func orAuto(v *Value, is *bool) *Value {
	set, text := v.set, v.text
	v.words, v.kind = append(v.words, "auto"), v.kind+"|auto"
	v.set = func(s string) error {
		if *is = s == "auto"; *is {
			return nil
		}
		if err := set(s); err != nil {
			return fmt.Errorf("%w, or auto", err)
		}
		return nil
	}
	v.text = func() string {
		if *is {
			return "auto"
		}
		return text()
	}
	return v
}

// Choice is one of a few words. Help shows them if they leave room for the flag's text; otherwise the
// text lists them.
func Choice(p *string, words ...string) *Value {
	kind := strings.Join(words, "|")
	if len(kind) > 20 {
		kind = "NAME"
	}
	return &Value{kind, words, func(s string) error {
		if british := strings.Replace(s, "color", "colour", 1); slices.Contains(words, british) {
			s = british
		}
		if !slices.Contains(words, s) {
			last := len(words) - 1
			return fmt.Errorf("must be %s or %s", strings.Join(words[:last], ", "), words[last])
		}
		*p = s
		return nil
	}, func() string { return *p }}
}

// Name is a name that another program knows, as one word or more; it may be empty.
func Name(p *string, words ...string) *Value {
	return &Value{kind: "NAME", words: words, set: func(s string) error {
		if len(s) > 64 || strings.HasPrefix(s, "-") || strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
			return errors.New("must be at most 64 letters, and begin with no hyphen")
		}
		*p = s
		return nil
	}, text: func() string { return *p }}
}

// Duration is a time that is not negative.
func Duration(p *time.Duration) *Value {
	return &Value{"TIME", []string{"10m", "1h", "90s", "0\tnever"}, func(s string) error {
		d, err := time.ParseDuration(s)
		if err != nil || d < 0 {
			return errors.New("must be a time, as in 10m or 90s, or 0 for never")
		}
		*p = d
		return nil
	}, func() string {
		if text := p.String(); strings.HasSuffix(text, "m0s") {
			return strings.TrimSuffix(text, "0s")
		}
		return p.String()
	}}
}

// Seed is a random seed. It is never 0: in a request to the service, 0 means no seed. Help shows no
// default, because it is a new number each time.
func Seed(p *uint64) *Value {
	return &Value{kind: "N", set: func(s string) error {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return fmt.Errorf("must be a whole number from 0 to %d", uint64(math.MaxUint64))
		}
		if *p = n; n == 0 {
			*p = math.MaxUint64
		}
		return nil
	}, text: func() string { return "" }}
}

// Level is a level of the computer, by its name or number. While none is set, *p is 0 and help shows the
// usual one.
func Level(p *levels.Level, usual levels.Level) *Value {
	v := &Value{kind: fmt.Sprintf("NAME|1-%d", levels.Count), text: func() string { return cmp.Or(*p, usual).String() }}
	v.set = func(s string) error {
		level, err := levels.Parse(s)
		if err == nil {
			*p = level
		}
		return err
	}
	for i, name := range levels.Names() {
		v.words = append(v.words, fmt.Sprintf("%s\tlevel %d", name, i+1))
	}
	return v
}

// Size is the size of a board.
func Size(p *board.Rules) *Value {
	words := []string{"7x6\tConnect-4", "8x8\tevery LED", "8x7", "7x7", "6x5", "5x4"}
	return &Value{"COLUMNSxROWS", words, func(s string) error {
		columns, rows, err := board.ParseSize(strings.ReplaceAll(s, " ", ""))
		if err != nil {
			return errors.New("must be COLUMNSxROWS, 1 to 8 each, as in 7x6")
		}
		p.Columns, p.Rows = columns, rows
		return nil
	}, func() string { return fmt.Sprintf("%dx%d", p.Columns, p.Rows) }}
}

// bus is the path of an I²C bus, "off", or empty for the default.
func bus(p *string) *Value {
	return &Value{"PATH", []string{pi.Bus, "off\tonly the kernel's drivers"}, func(s string) error {
		number, found := strings.CutPrefix(s, "/dev/i2c-")
		n, err := strconv.ParseUint(number, 10, 8)
		if s != "" && s != "off" && (!found || err != nil || strconv.FormatUint(n, 10) != number) {
			return fmt.Errorf("must be an I2C bus, as in %s, or off", pi.Bus)
		}
		*p = s
		return nil
	}, func() string { return *p }}
}
