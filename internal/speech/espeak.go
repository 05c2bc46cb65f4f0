package speech

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// espeak is espeak-ng, which is started for each text, reads it from standard input, and ends when it
// has been said.
type espeak Options

// killTime is how long a process that was killed may take to end.
const killTime = time.Second

func (e espeak) say(ctx context.Context, text string) error {
	path, err := exec.LookPath("espeak-ng")
	if err != nil {
		return errors.New("it is not installed: sudo apt install espeak-ng")
	}
	var errs tail
	cmd := exec.CommandContext(ctx, path, "-z", "-s", strconv.Itoa(e.Rate), "-v", cmp.Or(e.Voice, e.Language), "--stdin")
	cmd.Stdin, cmd.Stderr, cmd.WaitDelay = strings.NewReader(text), &errs, killTime
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		select {
		case <-ended:
			return ctx.Err()
		case <-time.After(2 * killTime): // it is stuck in the kernel, in the sound device's driver
			return errors.New("it cannot be killed")
		}
	}
	last := errs.last()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case strings.HasPrefix(last, "error"): // without a sound device its status is 0
		return errors.New(last)
	case err != nil && last != "":
		return fmt.Errorf("%w: %s", err, last)
	}
	return err
}

// tail keeps the end of what is written to it.
type tail struct{ text []byte }

func (t *tail) Write(p []byte) (int, error) {
	const most = 512
	t.text = append(t.text, p[max(0, len(p)-most):]...)
	t.text = t.text[max(0, len(t.text)-most):]
	return len(p), nil
}

func (t *tail) last() string {
	text := bytes.TrimSpace(t.text)
	return string(text[bytes.LastIndexByte(text, '\n')+1:])
}
