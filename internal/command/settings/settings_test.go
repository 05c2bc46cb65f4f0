package settings

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/hat/hattest"
	"github.com/c4hat/c4hat/internal/dev/golden"
	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/front/hatpanel"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/pflag"
)

// parsed returns the settings of a command line, and the flags of the named settings.
func parsed(t *testing.T, names string, args ...string) (*Settings, *pflag.FlagSet) {
	t.Helper()
	s, flags := New(), pflag.NewFlagSet("", pflag.ContinueOnError)
	s.Add(flags, names)
	try.Must(t, flags.Parse(args))
	return s, flags
}

// config returns the path of a configuration file, and a function that writes it.
func config(t *testing.T) (file string, write func(doc string)) {
	file = filepath.Join(t.TempDir(), "config.toml")
	return file, func(doc string) {
		t.Helper()
		try.Must(t, os.WriteFile(file, []byte(doc+"\n"), 0o600))
	}
}

// The help shows a configuration file with every key at its default, so that file changes no setting.
func TestText(t *testing.T) {
	flags, defaults := Flags(), Flags()
	for _, m := range parse([]byte(Text()), flags) {
		t.Error(m)
	}
	flags.VisitAll(func(f *pflag.Flag) {
		if got, want := f.Value.String(), defaults.Lookup(f.Name).Value.String(); got != want {
			t.Errorf("%s is %q, the default %q", f.Name, got, want)
		}
	})
}

// Each mistake is told with its line, and with what to write instead. A document is the lines between two
// headings of testdata/mistakes.txt, which go test -update writes the answers to.
func TestMistakes(t *testing.T) {
	text, err := os.ReadFile("testdata/mistakes.txt")
	try.Must(t, err)
	var out strings.Builder
	for i, doc := range strings.Split(string(text), "\n--\n") {
		doc, _, _ = strings.Cut(doc, "\n=> ")
		if i > 0 {
			out.WriteString("\n--\n")
		}
		out.WriteString(doc)
		mistakes := parse([]byte(doc+"\n"), pflag.NewFlagSet("", pflag.ContinueOnError)) // even if the command has no such flags
		if len(mistakes) == 0 {
			t.Errorf("no mistake in\n%s", doc)
		}
		for _, m := range mistakes {
			out.WriteString("\n=> " + m)
		}
	}
	golden.Check(t, "testdata/mistakes.txt", out.String())
}

// Without a setting, only a Raspberry Pi has a bus: on another machine's, any device may have the HAT's address.
func TestBus(t *testing.T) {
	for path, want := range map[string]string{"": map[bool]string{true: DefaultBus}[OnPi()], "off": "", "/dev/i2c-22": "/dev/i2c-22"} {
		s, got := New(), ""
		if s.I2C = path; s.Bus() != nil {
			got = s.Bus().Device
		}
		if got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}

// The sensors use the HAT's bus, and their error messages say what to do.
func TestSensors(t *testing.T) {
	if s, _ := parsed(t, HAT, "--brightness", "30"); s.Look().Sense != nil {
		t.Error("what is fixed follows a sensor")
	}
	bright := hatpanel.NewColours(hatpanel.Night, hatpanel.Brightness(1))
	for _, tt := range []struct {
		rotate, brightness, i2c, says string
	}{
		{"auto", "auto", "off", "set i2c, or set rotate and brightness to numbers"},
		{"auto", "20", "/dev/i2c-255", "; or set rotate to a number"},
		{"0", "auto", "/dev/i2c-255", "; or set brightness to a number"},
		{"auto", "auto", "", "; or set brightness to a number"}, // without a light sensor
		{"auto", "auto", "", ""},
	} {
		s, _ := parsed(t, HAT, "--palette", "night", "--rotate", tt.rotate, "--brightness", tt.brightness, "--i2c", tt.i2c)
		b := hattest.NewBoard()
		b.Tilt(16393, 0, 0)
		if tt.says == "" {
			b.Light(2847) // 1 count per millisecond at gain 1
		}
		if tt.i2c == "" {
			s.bus = b.I2C()
		}
		l, err := s.Look().Sense()
		if s.HAT().I2C != s.Bus() || tt.i2c == "" && l.Degrees != 90 || l.Colours == nil || l.Sense == nil {
			t.Errorf("%+v: %+v", tt, l)
		}
		if tt.says == "" && (err != nil || *l.Colours != *bright) || tt.says != "" && !strings.HasSuffix(fmt.Sprint(err), tt.says) {
			t.Errorf("%+v: %v", tt, err)
		}
	}
}

// A reload keeps the bus, and so the number of its errors. The command line still counts.
func TestReread(t *testing.T) {
	file, write := config(t)
	write("")
	s, flags := parsed(t, Daemon, "--config", file, "--points", "3", "--seed", "7")
	_, err := s.Match(flags)
	try.Must(t, err)
	s.bus = hattest.NewBoard().I2C()
	for _, doc := range []string{"machine.i2c = 'off'", "game.points = 2", "game.idle = '1h'", "screen.rotate = 'auto'"} {
		write(doc)
		again, c, err := s.Reread(flags)
		if err != nil || again.Bus() != s.bus || c.Points != 3 || again.Look().Idle != c.Idle || (again.Look().Sense != nil) != strings.Contains(doc, "auto") {
			t.Errorf("%s: %+v, %v", doc, c, err)
		}
	}
	write("[game]\nfirst = 9\n[screen]\nbrightness = 0")
	if _, _, err := s.Reread(flags); err == nil || !strings.Contains(err.Error(), ":4: brightness") {
		t.Error(err)
	}
}

// The menu begins with who started last and with the level played last, unless a flag or the file has others.
func TestMenu(t *testing.T) {
	file, write := config(t)
	for _, tt := range []struct {
		doc   string
		last  bool
		level match.Level
	}{{"", true, 0}, {"game.points = 3", true, 0}, {"game.first = 'alternate'", false, 0}, {"game.level = 'medium'", true, match.Medium}, {"game.level = 1", true, match.Novice}} {
		write(tt.doc)
		s, flags := parsed(t, Menu+Places, "--config", file)
		c, err := s.Match(flags)
		if err != nil || c.LastFirst != tt.last || c.MenuLevel != tt.level || s.Level() != cmp.Or(tt.level, match.Beginner) {
			t.Errorf("%q: %+v, %v", tt.doc, c, err)
		}
	}
}

// A seed is never 0, because 0 means no seed.
func TestSeed(t *testing.T) {
	if s, _ := parsed(t, "seed", "--seed", "0"); s.Seed == 0 {
		t.Error("0 stays 0")
	}
}

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
		for table, values := range all {
			legal = legal && keys(table) != nil
			for key, value := range values {
				legal = legal && slices.Contains(keys(table), key) && want.Lookup(key).Value.Set(fmt.Sprint(value)) == nil
			}
		}
		if len(mistakes) == 0 && !legal || legal && len(mistakes) > 0 && !bytes.ContainsAny(doc, "_xob+{") { // numbers are decimal, and no table is inline
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
		s.Position, s.Config = position, os.DevNull
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
		c, err := s.Match(flags)
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
		if d := s.Look().Degrees; d%90 != 0 || d < 0 || d > 270 || s.brightness < 0 || s.brightness > 100 {
			t.Fatalf("rotated by %d, brightness %d", d, s.brightness)
		}
	})
}
