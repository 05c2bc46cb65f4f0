//go:build linux

package e2e

import (
	"fmt"
	"net"
	"strings"
	"sync"
	"time"
)

// These are the users in the image. Player is in the group games.
const (
	Player   = "pi"
	Stranger = "stranger"
	password = "raspberry"
)

// Console is a machine's serial console, where users log in.
type Console struct {
	conn net.Conn

	mu   sync.Mutex
	text []byte // output not yet consumed by Expect
	more chan struct{}
}

func dialConsole(socket string) (*Console, error) {
	conn, err := dial(socket)
	if err != nil {
		return nil, err
	}
	c := &Console{conn: conn, more: make(chan struct{}, 1)}
	go c.listen()
	return c, nil
}

func (c *Console) close() { _ = c.conn.Close() }

func (c *Console) listen() {
	for b := make([]byte, 4096); ; {
		n, err := c.conn.Read(b)
		c.mu.Lock()
		c.text = append(c.text, b[:n]...)
		c.mu.Unlock()
		select {
		case c.more <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// Type sends keys.
func (c *Console) Type(keys string) error {
	_, err := c.conn.Write([]byte(keys))
	return err
}

// Expect waits for a text and returns the output before it. The output after it is kept
// for the next Expect.
func (c *Console) Expect(text string) (before string, err error) {
	for deadline := time.After(patience); ; {
		c.mu.Lock()
		before, after, ok := strings.Cut(string(c.text), text)
		if ok {
			c.text = []byte(after)
		}
		c.mu.Unlock()
		if ok {
			return before, nil
		}
		select {
		case <-c.more:
		case <-deadline:
			return before, fmt.Errorf("no %q on the console, but %q", text, before[max(0, len(before)-1000):])
		}
	}
}

// Login logs a user in and waits for the shell's prompt.
func (c *Console) Login(user string) error {
	return c.talk([2]string{"\n", "login: "}, [2]string{user + "\n", "Password: "}, [2]string{password + "\n", "$ "},
		[2]string{"stty rows 24 cols 80; PS1='> '\n", "\r\n> "})
}

// talk types the first text of each step, and waits for the second.
func (c *Console) talk(steps ...[2]string) error {
	for _, step := range steps {
		if err := c.Type(step[0]); err != nil {
			return err
		}
		if _, err := c.Expect(step[1]); err != nil {
			return err
		}
	}
	return nil
}

// Command runs a command in the shell of a user who is logged in, and returns its output
// and exit status.
func (c *Console) Command(line string) (out string, status int, err error) {
	if err := c.Type(line + "; echo status=$?=\n"); err != nil {
		return "", 0, err
	}
	if _, err := c.Expect("status=$?=\r\n"); err != nil { // its echo
		return "", 0, err
	}
	out, err = c.Expect("status=")
	if err != nil {
		return out, 0, err
	}
	number, err := c.Expect("=")
	if err != nil {
		return out, 0, err
	}
	_, err = fmt.Sscan(number, &status)
	return strings.ReplaceAll(out, "\r\n", "\n"), status, err
}

// dial connects to a socket that may not exist yet.
func dial(socket string) (conn net.Conn, err error) {
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); {
		if conn, err = net.Dial("unix", socket); err == nil {
			return conn, nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return nil, fmt.Errorf("e2e: %w", err)
}
