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

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/front/hatpanel"
	"github.com/c4hat/c4hat/internal/match"
)

// Value is the value of a flag and of a key, which it keeps in a variable. Its errors follow the name
// of the flag or the key, as in "must be a number".
type Value struct {
	Words []string // that a shell offers, some with a tab and their meaning
	Files bool     // a shell offers files

	kind string             // for help
	set  func(string) error // sets the variable
	text func() string
}

func (v *Value) Set(s string) error { return v.set(s) }
func (v *Value) String() string     { return v.text() }
func (v *Value) Type() string       { return v.kind }

func value[T any](p *T, kind string, parse func(string) (T, error), text func(T) string, words ...string) *Value {
	return &Value{Words: words, kind: kind, text: func() string { return text(*p) }, set: func(s string) error {
		x, err := parse(s)
		if err == nil {
			*p = x
		}
		return err
	}}
}

// String is any text.
func String(p *string, words ...string) *Value {
	same := func(s string) string { return s }
	return value(p, "string", func(s string) (string, error) { return s, nil }, same, words...)
}

// file is the path of a file or a folder, or one of a few words.
func file(p *string, words ...string) *Value {
	v := String(p, words...)
	v.Files = len(words) == 0
	return v
}

// Output is a file to write, whose name has an ending: a shell may offer the file of a pupil's program for it.
func Output(p *string, ending string) *Value {
	v := value(p, "FILE", func(s string) (string, error) {
		if !strings.HasSuffix(s, ending) {
			return s, fmt.Errorf("must be a file whose name ends in %s", ending)
		}
		return s, nil
	}, func(s string) string { return s })
	v.Files = true
	return v
}

// Number is a number from least to most.
func Number(p *int, least, most int) *Value {
	v := value(p, "N", func(s string) (int, error) {
		n, err := strconv.Atoi(s)
		if err != nil || n < least || n > most {
			return n, fmt.Errorf("must be a number from %d to %d", least, most)
		}
		return n, nil
	}, strconv.Itoa)
	for n := least; n <= most; n += 1 + (most-least)/10 {
		v.Words = append(v.Words, strconv.Itoa(n))
	}
	return v
}

// brightness is that of the LEDs, or auto, which is 0.
func brightness(p *int) *Value {
	number := Number(p, hatpanel.Least, hatpanel.Full)
	return value(p, "N|auto", func(s string) (int, error) {
		if s == "auto" {
			return 0, nil
		}
		if err := number.Set(s); err != nil {
			return 0, fmt.Errorf("%w, or auto", err)
		}
		return *p, nil
	}, func(n int) string { return cmp.Or(strings.TrimPrefix(strconv.Itoa(n), "0"), "auto") }, append(number.Words, "auto")...)
}

// Choice is one of a few words. Help shows them if they leave room for the flag's text; otherwise the
// text lists them.
func Choice(p *string, words ...string) *Value {
	kind := strings.Join(words, "|")
	if len(kind) > 20 {
		kind = "NAME"
	}
	return value(p, kind, func(s string) (string, error) {
		if british := strings.Replace(s, "color", "colour", 1); slices.Contains(words, british) {
			return british, nil
		}
		last := len(words) - 1
		return s, fmt.Errorf("must be %s or %s", strings.Join(words[:last], ", "), words[last])
	}, func(s string) string { return s }, words...)
}

const usualFirst = "alternate"

// first says who starts each round. It is empty until it is set.
func first(p *string) *Value {
	v := Choice(p, "red", "yellow", "blue", usualFirst, "loser", "random")
	v.text = func() string { return cmp.Or(*p, usualFirst) }
	return v
}

// Level is a level of the computer, by its name or number. While none is set, *p is 0 and help shows the
// usual one.
func Level(p *match.Level, usual match.Level) *Value {
	var words []string
	for i, name := range match.LevelNames() {
		words = append(words, fmt.Sprintf("%s\tlevel %d", name, i+1))
	}
	text := func(l match.Level) string { return cmp.Or(l, usual).String() }
	return value(p, fmt.Sprintf("NAME|1-%d", match.LevelCount), match.ParseLevel, text, words...)
}

// Duration is a time that is not negative.
func Duration(p *time.Duration) *Value {
	return value(p, "TIME", func(s string) (time.Duration, error) {
		d, err := time.ParseDuration(s)
		if err != nil || d < 0 {
			return d, errors.New("must be a time, as in 10m or 90s, or 0")
		}
		return d, nil
	}, func(d time.Duration) string { // without seconds, as it is written
		return strings.Replace(d.String(), "m0s", "m", 1)
	}, "10m", "1h", "90s", "0\tnone")
}

// Seed is a random seed. It is never 0: in a request to the service, 0 means no seed. Help shows no
// default, because it is a new number each time.
func Seed(p *uint64) *Value {
	return value(p, "N", func(s string) (uint64, error) {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			return n, fmt.Errorf("must be a whole number from 0 to %d", uint64(math.MaxUint64))
		}
		return cmp.Or(n, math.MaxUint64), nil
	}, func(uint64) string { return "" })
}

// Size is the size of a board.
func Size(p *board.Rules) *Value {
	return value(p, "COLUMNSxROWS", func(s string) (board.Rules, error) {
		columns, rows, err := board.ParseSize(strings.ReplaceAll(s, " ", ""))
		if err != nil {
			return *p, errors.New("must be COLUMNSxROWS, 1 to 8 each, as in 7x6")
		}
		return board.Rules{Columns: columns, Rows: rows, Connect: p.Connect}, nil
	}, func(r board.Rules) string {
		return fmt.Sprintf("%dx%d", r.Columns, r.Rows)
	}, "7x6\tConnect-4", "8x8\tevery LED", "8x7", "7x7", "6x5", "5x4")
}
