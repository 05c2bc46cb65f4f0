package settings

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/hat/hattest"
	"github.com/c4hat/c4hat/internal/dev/golden"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/c4hat/c4hat/internal/light"
	"github.com/c4hat/c4hat/internal/pi"
)

// The help shows a configuration file with every key at its default, so that file changes no setting.
func TestText(t *testing.T) {
	flags, defaults := Flags(), Flags()
	for _, m := range parse([]byte(Text("")), flags) {
		t.Errorf("line %d: %s", m.line, m.text)
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
	var out strings.Builder
	for i, doc := range strings.Split(read(t, "testdata/mistakes.txt"), "\n--\n") {
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
			fmt.Fprintf(&out, "\n=> %d: %s", m.line, m.text)
		}
	}
	golden.Check(t, "testdata/mistakes.txt", out.String())
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestBus(t *testing.T) {
	for s, ok := range map[string]bool{
		"": true, "off": true, "/dev/i2c-1": true, "/dev/i2c-22": true,
		"1": false, "/dev/i2c-": false, "/dev/i2c-01": false, "/dev/i2c--1": false, "/dev/i2c-999": false, "/dev/i2c-1/..": false, "on": false,
	} {
		path := ""
		if err := bus(&path).Set(s); (err == nil) != ok || ok && path != s {
			t.Errorf("%q: %q, %v", s, path, err)
		}
	}
	for _, tt := range []struct{ i2c, want string }{
		{"off", ""}, {"/dev/i2c-7", "/dev/i2c-7"},
		{"", map[bool]string{true: pi.Bus}[pi.Is()]}, // on another machine's bus any device may have the HAT's address
	} {
		s, got := New(), ""
		s.i2c = tt.i2c
		if w := s.Bus(); w != nil {
			got = w.Device
		}
		if got != tt.want {
			t.Errorf("%q: %q, want %q", tt.i2c, got, tt.want)
		}
	}
}

// The accelerometer uses the HAT's bus, and its error messages say what to do.
func TestUpright(t *testing.T) {
	s := New()
	s.i2c, s.rotate = "off", "auto"
	_, err := s.Upright()()
	if err == nil || !strings.Contains(err.Error(), "set i2c, or set rotate") {
		t.Error(err)
	}
	s = New()
	s.i2c, s.rotate = "/dev/i2c-255", "auto"
	if s.Bus() == nil || s.HAT().I2C != s.Bus() {
		t.Error("it is another bus")
	}
	if _, err := s.Upright()(); err == nil || !strings.HasSuffix(err.Error(), `"sudo raspi-config nonint do_i2c 0"; or set rotate to a number`) {
		t.Error(err)
	}
	b := hattest.NewBoard()
	b.Tilt(16393, 0, 0)
	s.bus = b.I2C()
	if got, err := s.Upright()(); got != 90 || err != nil {
		t.Error(got, err)
	}
}

// A brightness that follows the room uses the HAT's bus, too.
func TestRoom(t *testing.T) {
	s := New()
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.AddHAT(flags)
	for _, tt := range [][2]string{{"auto", "auto"}, {"0", "must be a number from 1 to 100, or auto"}, {"30", "30"}} {
		err := flags.Set("brightness", tt[0])
		if got := flags.Lookup("brightness").Value.String(); err == nil && got != tt[1] || err != nil && !strings.Contains(err.Error(), tt[1]) {
			t.Errorf("%s: %s, %v", tt[0], got, err)
		}
	}
	s.i2c, s.palette = "off", light.Night
	if ask, _ := s.Room(); ask != nil {
		t.Error("a fixed brightness follows the room")
	}
	s.follows = true
	if ask, palette := s.Room(); ask == nil || palette != light.Night {
		t.Error("no sensor")
	} else if _, err := ask(); err == nil || !strings.Contains(err.Error(), "set i2c, or set brightness") {
		t.Error(err)
	}
	b := hattest.NewBoard()
	b.Light(1)
	s.bus = b.I2C()
	ask, _ := s.Room()
	if room, err := ask(); room < 0.9 || room > 1.1 || err != nil {
		t.Error(room, err)
	}
}

// The devices in the configuration are not used for the emulator.
func TestEmulator(t *testing.T) {
	s := New()
	s.fb, s.stick, s.rotate = "/dev/fb1", "/dev/input/event0", "90"
	if o := s.Emulator(Flags()); o.Framebuffer != "" || o.Joystick != "" || o.Rotate != 90 {
		t.Errorf("opened with %+v", o)
	}
}

// Rereading the configuration keeps the bus, and so the number of its errors.
func TestRereadKeepsTheBus(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.toml")
	write := func(doc string) {
		if err := os.WriteFile(file, []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("[screen]\nrotate = \"auto\"\n")
	s := New()
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.AddDaemon(flags)
	if err := flags.Parse([]string{"--config", file, "--i2c", "/dev/i2c-99", "--points", "3"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(flags); err != nil {
		t.Fatal(err)
	}
	bus := s.Bus()
	again, c, restart, err := s.Reread(flags)
	if err != nil || restart || again.Bus() == nil || again.Bus() != bus || again.Upright() == nil || c.Points != 3 {
		t.Errorf("bus %v, want %v; %+v, restart %v, %v", again.Bus(), bus, c, restart, err)
	}
	write("[machine]\nfb = \"/dev/fb5\"\n")
	if _, _, restart, err := s.Reread(flags); err != nil || !restart {
		t.Errorf("another device: restart %v, %v", restart, err)
	}
	write("[game]\npoints = 9\n[screen]\nbrightness = 0\n")
	if _, _, _, err := s.Reread(flags); err == nil || !strings.Contains(err.Error(), ":4: brightness") {
		t.Error(err)
	}
}

// A reload that changes a device or the socket needs a restart of the service; other changes do
// not.
func TestRereadAfterRestart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.toml")
	write := func(doc string) {
		if err := os.WriteFile(file, []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("")
	s := New()
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.AddDaemon(flags)
	if err := flags.Parse([]string{"--config", file}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(flags); err != nil {
		t.Fatal(err)
	}
	for doc, want := range map[string]bool{
		"machine.fb = '/dev/fb5'": true, "machine.stick = '/dev/input/event7'": true,
		"machine.i2c = 'off'": true, "machine.socket = '/run/other.sock'": true,
		"game.board = '8x8'": false, "game.points = 3": false, "game.idle = '1h'": false,
		"screen.rotate = 'auto'": false, "screen.brightness = 20": false, "screen.palette = 'night'": false,
	} {
		write(doc + "\n")
		if _, _, restart, err := s.Reread(flags); err != nil || restart != want {
			t.Errorf("%s: restart %v, want %v, %v", doc, restart, want, err)
		}
	}
}

// The menu begins with who started last, unless a flag or the file says who starts.
func TestLastFirst(t *testing.T) {
	for doc, want := range map[string]bool{"": true, "game.points = 3": true, "game.first = 'alternate'": false} {
		file := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(file, []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
		s, flags := New(), pflag.NewFlagSet("", pflag.ContinueOnError)
		s.AddDaemon(flags)
		s.Config = file
		if c, err := s.Read(flags); err != nil || c.LastFirst != want {
			t.Errorf("%q: %v, %v", doc, c.LastFirst, err)
		}
	}
}

// The menu offers the level that the configuration names, even if --vs-cpu would choose that one anyway.
func TestLevel(t *testing.T) {
	for doc, want := range map[string]levels.Level{"": 0, "game.level = 'medium'": levels.Usual, "game.level = 1": levels.Novice} {
		file := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(file, []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
		s := New()
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		s.AddOpponent(flags)
		s.AddMatch(flags)
		s.Config = file
		c, err := s.Read(flags)
		if err == nil {
			err = s.Join(&c.Setup, flags)
		}
		if err != nil || c.MenuLevel != want || c.Computer != board.Empty || flags.Lookup("level").DefValue != "medium" {
			t.Errorf("%q: level %v, %v", doc, c.MenuLevel, err)
		}
		_ = flags.Set("vs-cpu", "true")
		if err := s.Join(&c.Setup, flags); err != nil || c.Level != cmp.Or(want, levels.Usual) || c.Computer != board.Yellow {
			t.Errorf("%q: against %v, %v", doc, c.Level, err)
		}
		s = New()
		flags = pflag.NewFlagSet("", pflag.ContinueOnError)
		s.AddDaemon(flags)
		s.Config = file
		if c, err := s.Read(flags); err != nil || c.MenuLevel != want || flags.Lookup("level").DefValue != "beginner" {
			t.Errorf("%q: the service's menu has level %v, %v", doc, c.MenuLevel, err)
		}
	}
}

// A seed is never 0, because 0 means no seed.
func TestSeeds(t *testing.T) {
	for _, s := range []string{"0", "1", "18446744073709551615"} {
		n := uint64(0)
		if err := Seed(&n).Set(s); err != nil || n == 0 {
			t.Errorf("%s: %d, %v", s, n, err)
		}
	}
}
