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

// Options describe a speaker's voice.
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

// engine speaks. It rests for a while after it has failed.
type engine struct {
	name string
	// say says a text, and returns when it has been said, or soon after the context has ended; then nothing of it
	// is heard any more.
	say    func(ctx context.Context, text string) error
	failed bool      // since it spoke last
	until  time.Time // it rests until then
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
