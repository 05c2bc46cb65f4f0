package link

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/quote"
	"github.com/c4hat/c4hat/internal/socket"
)

// line is a connection to a service.
type line struct {
	client *socket.Client
	lost   <-chan struct{} // closed when the processes of the connection have ended
	end    func()          // ends the connection
}

// ssh opens a line with the user's ssh. If asks is true, ssh may ask for a password, or whether
// to trust the other machine.
func ssh(ctx context.Context, host string, asks bool) (*line, error) {
	args := []string{"-T", "-o", "Compression=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=2"}
	if !asks {
		args = append(args, "-o", "BatchMode=yes")
	}
	return run(ctx, host, exec.Command("ssh", append(args, "--", host, "c4hat link --answer")...))
}

// endTime is how long a command may take to end once its input is closed, before it is killed.
const endTime = time.Second

// run opens a line over the standard streams of a command. The line stays open until end is
// called, even if the context ends earlier.
func run(ctx context.Context, host string, cmd *exec.Cmd) (*line, error) {
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
	cmd.WaitDelay = endTime // a process that the command left behind may hold its standard error open
	if err := cmd.Start(); err != nil {
		if errors.Is(err, exec.ErrNotFound) {
			return nil, errors.New("ssh is not installed here: sudo apt install openssh-client")
		}
		return nil, err
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	lost := make(chan struct{})
	go func() {
		<-life.Done()
		_ = in.Close()
		kill := time.AfterFunc(endTime, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait() // closes the pipe, which is read until then
		kill.Stop()
		close(lost)
	}()
	from, greeted := bufio.NewReader(out), make(chan error, 1)
	go func() { greeted <- skipNoise(from) }()
	select {
	case err = <-greeted:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		end()
		<-lost
		if ctx.Err() == nil {
			err = said.reason(host, cmd.ProcessState.ExitCode())
		}
		return nil, err
	}
	return &line{client: socket.Over(host, transport(conn(life, end, from, in))), lost: lost, end: end}, nil
}

// greeting is the first line that Answer writes. The shell that starts the command may print
// something before it.
const greeting = "c4hat link 1\n"

// maxNoise is how many bytes the other machine's shell may print before the greeting.
const maxNoise = 64 << 10

// skipNoise reads the greeting, and everything that the other machine prints before it.
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

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	t.text = t.text[max(0, len(t.text)-4<<10):]
	return len(p), nil
}

// reason returns why a line could not be opened. It uses the last line that ssh, or the command
// that it ran, has written.
func (t *tail) reason(host string, status int) error {
	text := strings.TrimSpace(string(t.text))
	said := quote.Clean(text[strings.LastIndexByte(text, '\n')+1:])
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

// To notice a lost connection, each end sends a ping after a silence of pingAfter, and waits
// pingTime for the answer.
const (
	pingAfter = 5 * time.Second
	pingTime  = 5 * time.Second
)

var pings = http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTime}

// http2 returns the connection's protocol: many requests at a time over one stream of bytes.
func http2() *http.Protocols {
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	return p
}

// transport returns a transport that makes requests over a connection until it is closed.
func transport(over net.Conn) *http.Transport {
	var once sync.Once
	return &http.Transport{
		Protocols: http2(), HTTP2: &pings, DisableCompression: true,
		ResponseHeaderTimeout: pingAfter + pingTime,
		DialContext: func(context.Context, string, string) (conn net.Conn, err error) {
			err = errors.New("the connection is lost")
			once.Do(func() { conn, err = over, nil })
			return conn, err
		},
	}
}

// conn returns a connection over the standard streams of a command. When life ends, the connection
// does; when the connection or its input ends, it calls end, which ends life.
func conn(life context.Context, end func(), in io.Reader, out io.Writer) net.Conn {
	near, far := net.Pipe()
	context.AfterFunc(life, func() { _ = near.Close() })
	carry(end, far, in, out)
	return near
}

// carry copies what comes from in to a connection, and what comes from the connection to out. It
// calls end when either has ended.
func carry(end func(), over net.Conn, in io.Reader, out io.Writer) {
	go func() {
		_, _ = io.Copy(out, over)
		end()
	}()
	go func() {
		_, _ = io.Copy(over, in)
		end()
	}()
}

// Answer serves the other end of a line, on the standard streams of a command that ssh has
// started. It passes requests to the service until the line breaks or the context ends.
func Answer(ctx context.Context, in io.Reader, out io.Writer, service *socket.Client) error {
	if _, err := service.Status(ctx); err != nil {
		return err
	}
	if _, err := io.WriteString(out, greeting); err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	server := http.Server{
		Handler: &httputil.ReverseProxy{
			Rewrite:       func(r *httputil.ProxyRequest) { r.Out.URL.Scheme, r.Out.URL.Host = "http", "c4hat" },
			Transport:     service,
			FlushInterval: -1, // so that each event is sent at once
			ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
				w.WriteHeader(http.StatusServiceUnavailable)
				_ = json.NewEncoder(w).Encode(map[string]string{"error": err.Error()})
			},
		},
		Protocols: http2(), HTTP2: &pings,
		ErrorLog: log.New(io.Discard, "", 0), // protocol errors are the other end's fault
	}
	defer server.Close()
	l := socket.NewInside()
	context.AfterFunc(ctx, func() { _ = l.Close() })
	go func() {
		if over, err := l.Dial(ctx); err == nil {
			carry(end, over, in, out)
		}
	}()
	if err := server.Serve(l); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}
