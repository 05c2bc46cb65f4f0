package settings

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/pflag"
)

// FuzzConfig checks that a configuration file sets the flags to the values that a TOML decoder
// finds, or that each mistake is reported with its line.
func FuzzConfig(f *testing.F) {
	f.Fuzz(func(t *testing.T, doc []byte) {
		flags, want := Flags(), Flags()
		mistakes := parse(doc, flags)
		for _, m := range mistakes {
			try.OneLine(t, m)
			if line, _ := strconv.Atoi(m[:strings.IndexByte(m, ':')]); line < 1 || line > bytes.Count(doc, []byte("\n"))+1 {
				t.Fatalf("%s of %q", m, doc)
			}
		}
		var all map[string]map[string]any
		legal := toml.Unmarshal(doc, &all) == nil
		for table, keys := range all {
			legal = legal && Keys(table) != nil
			for key, value := range keys {
				legal = legal && slices.Contains(Keys(table), key) && want.Lookup(key).Value.Set(fmt.Sprint(value)) == nil
			}
		}
		if len(mistakes) == 0 && !legal || legal && len(mistakes) > 0 && !bytes.ContainsAny(doc, "_xob+") { // numbers are decimal
			t.Fatalf("%q: %+v, a TOML decoder has %v", doc, mistakes, all)
		}
		flags.VisitAll(func(f *pflag.Flag) {
			if got, want := f.Value.String(), want.Lookup(f.Name).Value.String(); len(mistakes) == 0 && got != want {
				t.Fatalf("%q: %s is %q, want %q", doc, f.Name, got, want)
			}
		})
	})
}

// FuzzSettings checks that flags describe a match that can be played, or that the error is a short
// line. It also checks that a flag accepts the text of every value that it has accepted.
func FuzzSettings(f *testing.F) {
	f.Fuzz(func(t *testing.T, size, connect, points, first, idle, rotate, brightness, palette, position string) {
		s, flags := New(), pflag.NewFlagSet("", pflag.ContinueOnError)
		s.Add(flags, Menu+HAT)
		s.Position = position
		for name, text := range map[string]string{"board": size, "connect": connect, "points": points, "first": first, "idle": idle,
			"rotate": rotate, "brightness": brightness, "palette": palette} {
			if err := flags.Set(name, text); err != nil {
				// pflag repeats the argument; the command prints it on one line.
				try.OneLine(t, strings.TrimPrefix(err.Error(), fmt.Sprintf("invalid argument %q for ", text)))
				continue
			}
			value := flags.Lookup(name).Value
			taken := value.String()
			if err := value.Set(taken); err != nil || value.String() != taken {
				t.Fatalf("%s %q becomes %q, that becomes %q, %v", name, text, taken, value, err)
			}
		}
		c, err := s.match()
		switch {
		case err != nil:
			try.OneLine(t, err.Error())
		case c.Points < 1 || c.Points > match.MaxPoints || c.Idle < 0:
			t.Fatalf("%+v", c)
		default:
			if _, err := game.New(c, time.Unix(0, 0)); err != nil {
				t.Fatalf("%+v: %v", c, err)
			}
		}
		if o := s.HAT(); o.Rotate%90 != 0 || o.Rotate < 0 || o.Rotate > 270 || s.brightness < 0 || s.brightness > 100 {
			t.Fatalf("rotated by %d, brightness %d", o.Rotate, s.brightness)
		}
	})
}
