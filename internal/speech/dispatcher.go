package speech

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// dispatcher is a client of speech-dispatcher. Its protocol, SSIP, is described in the manual of
// speech-dispatcher: a line for each command, and answers that begin with a number. An answer has more
// lines while a hyphen follows the number. Events, from 700 to 799, come at any time.
type dispatcher struct {
	options Options
	dial    func(context.Context) (net.Conn, error)
	conn    net.Conn
	lines   chan string   // closed when the connection ends
	within  time.Duration // how long the next answer may take
}

// replyTime is how long speech-dispatcher may take to answer a command, and startTime is the same for
// the first one: systemd may start it only when somebody connects.
const (
	replyTime = time.Second
	startTime = 10 * time.Second
)

var errGone = errors.New("it has closed the connection")

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

func (d *dispatcher) say(ctx context.Context, text string) error {
	old := d.conn != nil
	err := d.try(ctx, text)
	if err == nil || errors.Is(err, ctx.Err()) || d.conn == nil {
		return err
	}
	d.conn.Close()
	d.conn = nil
	if old { // it was perhaps restarted
		return d.say(ctx, text)
	}
	return err
}

func (d *dispatcher) try(ctx context.Context, text string) error {
	if d.conn == nil {
		if err := d.connect(ctx); err != nil {
			return err
		}
	}
	if _, err := d.command("SPEAK"); err != nil {
		return err
	}
	text = strings.NewReplacer("\r", " ", "\n", " ").Replace(text)
	if strings.HasPrefix(text, ".") {
		text = "." + text // a line with only a full stop would end the text
	}
	id, err := d.command(text + "\r\n.")
	if err != nil {
		return err
	}
	first := true // of the lines of an event: the text's number, the client's number, its name
	for {
		select {
		case line, ok := <-d.lines:
			switch {
			case !ok:
				return errGone
			case first && (line == "702-"+id || line == "703-"+id): // said, or cancelled by another program
				return nil
			}
			first = len(line) < 4 || line[3] != '-'
		case <-ctx.Done():
			if _, err := d.command("CANCEL self"); err != nil {
				return err
			}
			return ctx.Err()
		}
	}
}

// dialDispatcher connects to the first socket at which something listens.
func dialDispatcher(ctx context.Context) (net.Conn, error) {
	err := errors.New("it is not running")
	for _, path := range Sockets(os.Getenv) {
		conn, failed := (&net.Dialer{Timeout: replyTime}).DialContext(ctx, "unix", path)
		if failed == nil {
			return conn, nil
		}
		if !errors.Is(failed, os.ErrNotExist) {
			err = failed
		}
	}
	return nil, err
}

// connect connects, and says how to speak.
func (d *dispatcher) connect(ctx context.Context) (err error) {
	if d.conn, err = d.dial(ctx); err != nil {
		return err
	}
	d.lines, d.within = make(chan string, 16), startTime
	go read(d.conn, d.lines)
	o := d.options
	commands := []string{
		"SET self CLIENT_NAME " + cmp.Or(os.Getenv("USER"), "c4hat") + ":c4hat:game",
		"SET self NOTIFICATION END on", "SET self NOTIFICATION CANCEL on", "SET self PRIORITY message",
		"SET self LANGUAGE " + o.Language,
		fmt.Sprintf("SET self RATE %d", max(-100, 100*(o.Rate-Usual)/(Fastest-Usual))),
	}
	if o.Voice != "" {
		commands = append(commands, "SET self SYNTHESIS_VOICE "+o.Voice)
	}
	for _, c := range commands {
		if _, err := d.command(c); err != nil {
			return err
		}
	}
	return nil
}

// read sends the lines of a connection until it ends, or nobody takes them.
func read(conn net.Conn, to chan<- string) {
	defer close(to)
	lines := bufio.NewScanner(conn)
	for lines.Scan() {
		select {
		case to <- strings.TrimSuffix(lines.Text(), "\r"):
		case <-time.After(time.Minute):
			return
		}
	}
}

// command sends a line, and returns the last of the data lines of its answer.
func (d *dispatcher) command(line string) (data string, err error) {
	_ = d.conn.SetWriteDeadline(time.Now().Add(d.within)) // Write reports an error
	if _, err := d.conn.Write([]byte(line + "\r\n")); err != nil {
		return "", err
	}
	timeout := time.NewTimer(d.within)
	defer timeout.Stop()
	for {
		select {
		case answer, ok := <-d.lines:
			switch {
			case !ok:
				return "", errGone
			case len(answer) < 4 || answer[0] == '7':
			case answer[3] == '-':
				data = answer[4:]
			case answer[0] == '2':
				d.within = replyTime
				return data, nil
			default:
				return "", fmt.Errorf("it refuses %q: %.100s", line, answer)
			}
		case <-timeout.C:
			return "", fmt.Errorf("it does not answer within %v", d.within)
		}
	}
}
