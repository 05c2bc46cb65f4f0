package link

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/c4hat/c4hat/internal/command/quote"
	"github.com/c4hat/c4hat/internal/service/socket"
)

// line is an ssh that forwards the other machine's socket.
type line struct {
	client *socket.Client
	ctx    context.Context // ends with the line
	ended  chan struct{}   // closed when ssh has ended
	end    func()          // ends the line, and waits until it has
}

// open opens a line with the user's ssh. If asks is true, ssh may ask for a password, or whether
// to trust the other machine.
func (l *Link) open(ctx context.Context, asks bool) (*line, error) {
	dir, err := os.MkdirTemp("", "c4hat-link-")
	if err != nil {
		return nil, err
	}
	door := filepath.Join(dir, "socket")
	args := []string{"-T", "-o", "ExitOnForwardFailure=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=3", "-o", "ServerAliveCountMax=2"}
	if !asks {
		args = append(args, "-o", "BatchMode=yes")
	}
	cmd := exec.Command("ssh", append(args, "-L", door+":"+l.Socket, "--", l.Host, "cat")...) // which ends with its input
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	said := new(tail)
	cmd.Stderr = said
	cmd.WaitDelay = endTime // a process that ssh has left behind may hold its standard error open
	if err := cmd.Start(); err != nil {
		_ = os.Remove(dir)
		if errors.Is(err, exec.ErrNotFound) {
			err = errors.New("ssh is not installed here: sudo apt install openssh-client")
		}
		return nil, err
	}
	ended := make(chan struct{})
	life, lost := context.WithCancelCause(ctx)
	go func() {
		defer close(ended)
		_ = cmd.Wait()
		_ = os.RemoveAll(dir)
		lost(said.reason(l.Host))
	}()
	at := &line{socket.Dial(door), life, ended, func() {
		_ = in.Close()
		kill := time.AfterFunc(endTime, func() { _ = cmd.Process.Kill() })
		defer kill.Stop()
		<-ended
	}}
	for life.Err() == nil {
		if _, err := os.Stat(door); err == nil {
			return at, nil
		}
		select {
		case <-life.Done():
		case <-time.After(50 * time.Millisecond): // ssh does not say when the socket is there
		}
	}
	at.end()
	return nil, context.Cause(life)
}

// endTime is how long ssh may take to end before it is killed.
const endTime = time.Second

// tail keeps the end of what ssh writes to its standard error.
type tail struct{ text []byte }

// Write is called by os/exec.
func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-4<<10):]
	return len(p), nil
}

// reason returns why ssh has ended: its last line says so.
func (t *tail) reason(host string) error {
	text := strings.TrimSpace(string(t.text))
	said := quote.Clean(text[strings.LastIndexByte(text, '\n')+1:])
	if said == "" {
		return fmt.Errorf("the connection to %s is lost", host)
	}
	return fmt.Errorf("%s: ssh: %s; ssh %s c4hat status must work first: see doc/link.md", host, strings.TrimSuffix(said, "."), host)
}
