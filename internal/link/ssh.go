package link

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/c4hat/c4hat/internal/control"
)

// Line is a connection to the other machine.
type Line struct {
	Client *control.Client
	Lost   <-chan struct{} // closed when the connection has ended
	close  func()
}

// Close ends the line.
func (l *Line) Close() { l.close() }

// SSH opens a line with the user's ssh. If asking is true, ssh may ask for a password, or whether
// to trust the other machine.
func SSH(ctx context.Context, host string, asking bool) (*Line, error) {
	args := []string{"-T", "-o", "Compression=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=2"}
	if !asking {
		args = append(args, "-o", "BatchMode=yes")
	}
	return run(ctx, host, exec.Command("ssh", append(args, "--", host, "c4hat link --answer")...))
}

// endTime is how long a command may take to end once its input is closed.
const endTime = time.Second

// maxNoise is how much the other machine's shell may print before the greeting.
const maxNoise = 64 << 10

// run opens a line over the standard streams of a command.
func run(ctx context.Context, host string, cmd *exec.Cmd) (*Line, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	said := new(tail)
	cmd.Stderr = said
	cmd.WaitDelay = endTime // a process that it left behind may hold its standard error open
	if err := cmd.Start(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return nil, errors.New("ssh is not installed here: sudo apt install openssh-client")
		}
		return nil, err
	}
	lost := make(chan struct{})
	closed := make(chan struct{})
	s := newStream(bufio.NewReader(out), in, func() {
		_ = in.Close()
		close(closed)
	})
	go func() { // a command that does not end by itself is killed
		select {
		case <-closed:
		case <-ctx.Done():
		}
		select {
		case <-lost:
		case <-time.After(endTime):
			_ = cmd.Process.Kill()
			_ = out.Close() // a process that it started may hold it open
		}
	}()
	greeted := make(chan error, 1)
	go func() {
		greeted <- skipNoise(s.Reader.(*bufio.Reader))
		<-closed // Wait closes the pipe, which is read until then
		_ = cmd.Wait()
		close(lost)
	}()
	select {
	case err = <-greeted:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = s.Close()
		<-lost
		if ctx.Err() == nil {
			err = said.reason(host, cmd.ProcessState.ExitCode())
		}
		return nil, err
	}
	return &Line{Client: control.Over(host, transport(s)), Lost: lost, close: func() {
		_ = s.Close()
		<-lost
	}}, nil
}

// skipNoise reads up to the greeting.
func skipNoise(r *bufio.Reader) error {
	for read := 0; read < maxNoise; {
		line, err := r.ReadSlice('\n')
		read += len(line)
		switch {
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return err
		case string(line) == greeting:
			return nil
		}
	}
	return errors.New("the other machine's shell prints too much")
}

// tail keeps the end of what ssh writes to its standard error.
type tail struct{ text []byte }

const maxTail = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	if len(t.text) > maxTail {
		t.text = bytes.Clone(t.text[len(t.text)-maxTail:])
	}
	return len(p), nil
}

// reason returns why a line could not be opened. It uses the last line that ssh, or the command
// that it ran, has written.
func (t *tail) reason(host string, status int) error {
	said := ""
	for line := range strings.Lines(string(t.text)) {
		if line = strings.TrimSpace(line); line != "" {
			said = line
		}
	}
	ours, isOurs := strings.CutPrefix(said, "c4hat: ")
	switch {
	case status == 2:
		return fmt.Errorf("%s: the c4hat there cannot link: install the same version on both machines", host)
	case isOurs:
		return fmt.Errorf("%s: %s", host, ours)
	case status == 127:
		return fmt.Errorf("%s: c4hat is not installed there", host)
	case said == "":
		said = fmt.Sprintf("exit status %d", status)
	}
	return fmt.Errorf("%s: ssh: %s; ssh %s c4hat status must work first: see doc/link.md", host, strings.TrimSuffix(said, "."), host)
}
