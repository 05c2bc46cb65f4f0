package settings

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/pflag"
)

// oneLine checks that an error is one short, printable line.
func oneLine(t *testing.T, text string) {
	t.Helper()
	if text == "" || len(text) > 900 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Fatalf("not one short line: %.1000q", text)
	}
}

// FuzzConfig checks that a configuration file sets the flags to the values that a TOML decoder
// finds, or that each mistake is reported with its line.
func FuzzConfig(f *testing.F) {
	f.Fuzz(func(t *testing.T, doc []byte) {
		flags := Flags()
		mistakes := parse(doc, flags)
		for _, m := range mistakes {
			oneLine(t, m.text)
			if m.line < 1 || m.line > bytes.Count(doc, []byte("\n"))+1 {
				t.Fatalf("line %d of %q", m.line, doc)
			}
		}
		var all map[string]map[string]any
		legal := toml.Unmarshal(doc, &all) == nil
		want := Flags()
		for table, keys := range all {
			for key, value := range keys {
				switch value.(type) {
				case map[string]any, []any:
					legal = false
				default:
					legal = legal && slices.Contains(keysOf(table), key) && want.Lookup(key).Value.Set(fmt.Sprint(value)) == nil
				}
			}
			legal = legal && keysOf(table) != nil
		}
		if legal != (len(mistakes) == 0) {
			t.Fatalf("%q: %+v, a TOML decoder has %v", doc, mistakes, all)
		}
		if len(mistakes) > 0 {
			return
		}
		flags.VisitAll(func(f *pflag.Flag) {
			if got, want := f.Value.String(), want.Lookup(f.Name).Value.String(); got != want {
				t.Fatalf("%q: %s is %q, want %q", doc, f.Name, got, want)
			}
		})
	})
}

// fitting matches the values that are accepted.
var fitting = map[string]*regexp.Regexp{
	"board":   regexp.MustCompile(`^[1-8]x[1-8]$`),
	"connect": regexp.MustCompile(`^[2-8]$`),
	"points":  regexp.MustCompile(`^[1-3]$`),
	"first":   regexp.MustCompile(`^(red|yellow|blue|alternate|loser|random)$`),
	"idle":    regexp.MustCompile(`^[0-9]`),
	"rotate":  regexp.MustCompile(`^(0|90|180|270|auto)$`),

	"brightness": regexp.MustCompile(`^([1-9][0-9]?|100|auto)$`),
	"palette":    regexp.MustCompile(`^[a-z]+$`),
}

// FuzzSettings checks that flags describe a match that can be played, or that the error is a short
// line. It also checks that a flag accepts the text of every value that it has accepted.
func FuzzSettings(f *testing.F) {
	f.Fuzz(func(t *testing.T, size, connect, points, first, idle, rotate, brightness, palette, position string) {
		s := New()
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		s.AddMatch(flags)
		s.AddHAT(flags)
		s.Position = position
		for name, text := range map[string]string{"board": size, "connect": connect, "points": points, "first": first, "idle": idle,
			"rotate": rotate, "brightness": brightness, "palette": palette} {
			if err := flags.Set(name, text); err != nil {
				// pflag repeats the argument; the command prints it on one line.
				oneLine(t, strings.TrimPrefix(err.Error(), fmt.Sprintf("invalid argument %q for ", text)))
				continue
			}
			value := flags.Lookup(name).Value
			taken := value.String()
			if fits := fitting[name]; fits != nil && !fits.MatchString(taken) {
				t.Fatalf("%s %q becomes %q", name, text, taken)
			}
			if err := value.Set(taken); err != nil || value.String() != taken {
				t.Fatalf("%s %q becomes %q, that becomes %q, %v", name, text, taken, value, err)
			}
		}
		for _, strict := range []bool{false, true} {
			c, err := s.game(strict)
			if err != nil {
				oneLine(t, err.Error())
				continue
			}
			if _, err := game.New(c, time.Unix(0, 0)); err != nil {
				t.Fatalf("%+v: %v", c, err)
			}
		}
		if o := s.HAT(); o.Rotate%90 != 0 || o.Rotate < 0 || o.Rotate > 270 {
			t.Fatalf("rotated by %d", o.Rotate)
		}
	})
}
