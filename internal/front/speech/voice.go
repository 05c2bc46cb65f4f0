package speech

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Options describe a voice.
type Options struct {
	Engine   string // one of Engines
	Rate     int    // words a minute
	Voice    string // the engine's name of a voice; empty: its voice for the language
	Language string // such as en or en-gb
	Lines    io.Writer
	Log      *slog.Logger
}

// Engines has the engines that [Options] can name. Auto is the first of the others that works.
var Engines = []string{"auto", "speech-dispatcher", "espeak-ng", "lines"}

// Slowest and Fastest are the rates of the engines, in words a minute.
const (
	Slowest, Usual, Fastest = 80, 175, 450
)

// engine says a text, and returns when it has been said, or soon after the context has ended; then nothing
// of it is heard any more.
type engine func(ctx context.Context, text string) error

// Voice says texts through the first of its engines that works. An engine that fails rests for a while.
type Voice struct {
	log   *slog.Logger
	tries []*try
	last  *try // the engine that spoke last
}

type try struct {
	name   string
	say    engine
	failed bool      // since it spoke last
	until  time.Time // the engine rests until then
}

// NewVoice returns a voice. It starts nothing before the first text.
func NewVoice(o Options) *Voice {
	v := &Voice{log: o.Log}
	for i, say := range []engine{o.dispatcher, o.espeak, o.lines} { // in the order of Engines
		if name := Engines[1+i]; o.Engine == name || o.Engine == Engines[0] {
			v.tries = append(v.tries, &try{name: name, say: say})
		}
	}
	return v
}

const (
	rest = 10 * time.Second

	// An engine that takes longer than patience, and slowest for each byte, hangs. At the lowest rate
	// a second has eight letters.
	patience, slowest = 5 * time.Second, 150 * time.Millisecond
)

var errSilent = errors.New("no engine speaks")

// Say says a text, and returns when it has been said or the context has ended. The error says that no
// engine works at the moment.
func (v *Voice) Say(ctx context.Context, text string) error {
	for _, t := range v.tries {
		if time.Now().Before(t.until) {
			continue
		}
		limited, cancel := context.WithTimeoutCause(ctx, patience+slowest*time.Duration(len(text)), errors.New("it hangs"))
		err := t.say(limited, text)
		if limited.Err() != nil {
			err = context.Cause(limited)
		}
		cancel()
		if ctx.Err() != nil {
			return nil
		}
		if err == nil {
			if t.failed = false; t != v.last {
				v.last = t
				v.log.Info("speaking through " + t.name)
			}
			return nil
		}
		if !t.failed {
			level := slog.LevelWarn
			if v.last != t && len(v.tries) > 1 { // many machines have only one of the engines
				level = slog.LevelInfo
			}
			v.log.Log(ctx, level, fmt.Sprintf("cannot speak through %s: %v", t.name, err))
		}
		if v.last == t {
			v.last = nil
		}
		t.failed, t.until = true, time.Now().Add(rest)
	}
	return errSilent
}

// Sockets returns the paths at which speech-dispatcher may listen: as the environment says, for this
// user, and for all users.
func Sockets(env func(string) string) (paths []string) {
	if path, ok := strings.CutPrefix(env("SPEECHD_ADDRESS"), "unix_socket:"); ok {
		paths = append(paths, path)
	}
	if dir := env("XDG_RUNTIME_DIR"); dir != "" {
		paths = append(paths, filepath.Join(dir, "speech-dispatcher", "speechd.sock"))
	}
	return append(paths, "/run/speech-dispatcher/speechd.sock")
}

// dispatcher speaks through spd-say, a program of speech-dispatcher's, if that is running: otherwise spd-say
// would start it. A spd-say that is killed leaves its text to be said, so another one cancels all texts; then
// the first one ends, as if its text had been said.
func (o Options) dispatcher(ctx context.Context, text string) error {
	at := slices.IndexFunc(Sockets(os.Getenv), func(path string) bool { _, err := os.Stat(path); return err == nil })
	if at < 0 {
		return errors.New("it is not running")
	}
	args := []string{"--pipe-mode", "--wait", "--priority", "text", "--application-name", "c4hat",
		"--rate", fmt.Sprint(max(-100, 100*(o.Rate-Usual)/(Fastest-Usual))), "--language", o.Language}
	if o.Voice != "" {
		args = append(args, "--synthesis-voice", o.Voice)
	}
	say := exec.CommandContext(ctx, "spd-say", args...)
	say.Env = append(os.Environ(), "SPEECHD_ADDRESS=unix_socket:"+Sockets(os.Getenv)[at])
	say.Cancel = func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		stop := exec.CommandContext(ctx, "spd-say", "--cancel")
		stop.Env = say.Env
		return stop.Run()
	}
	return run(say, text)
}

func (o Options) espeak(ctx context.Context, text string) error {
	return run(exec.CommandContext(ctx, "espeak-ng", "-z", "-s", fmt.Sprint(o.Rate), "-v", cmp.Or(o.Voice, o.Language), "--stdin"), text)
}

// lines writes each text as a line, for another program that speaks.
func (o Options) lines(_ context.Context, text string) error {
	_, err := fmt.Fprintln(o.Lines, text)
	return err
}

// run runs a program that reads a text from standard input, and ends when it has been said.
func run(cmd *exec.Cmd, text string) error {
	var errs bytes.Buffer
	cmd.Stdin = strings.NewReader(strings.NewReplacer("\r", " ", "\n", " ").Replace(text) + "\n")
	cmd.Stderr, cmd.WaitDelay = &errs, time.Second
	err := cmd.Run()
	lines := strings.Split(strings.TrimSpace(errs.String()), "\n")
	last := lines[len(lines)-1]
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%s is not installed", cmd.Path)
	case strings.HasPrefix(last, "error"): // without a sound device the status of espeak-ng is 0
		return errors.New(last)
	case err != nil && last != "":
		return fmt.Errorf("%w: %s", err, last)
	}
	return err
}
