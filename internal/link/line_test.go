package link

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/socket"
)

// service is a client of a service in this process.
func service(t testing.TB, handle http.HandlerFunc) *socket.Client {
	t.Helper()
	server, l := http.Server{Handler: handle}, socket.NewInside()
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	return socket.Connect(l.Dial)
}

// joined connects a client and Answer with pipes.
func joined(t testing.TB, to *socket.Client) (c *socket.Client, end func(), ended <-chan error) {
	t.Helper()
	r1, w1 := io.Pipe()
	r2, w2 := io.Pipe()
	answered := make(chan error, 1)
	go func() { answered <- Answer(t.Context(), r1, w2, to) }()
	in := bufio.NewReader(r2)
	must(t, skipNoise(in))
	ctx, end := context.WithCancel(t.Context())
	context.AfterFunc(ctx, func() { _ = w1.Close(); _ = r2.Close() })
	return socket.Over("b", transport(conn(ctx, end, in, w1))), end, answered
}

// A line passes requests with their tokens, answers, and streams event by event. All of them end
// with the line.
func TestLine(t *testing.T) {
	gone := make(chan struct{})
	c, end, ended := joined(t, service(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/status":
			_, _ = io.WriteString(w, `{"machine":{"version":"1.2.3"}}`)
		case "/v1/seat":
			body, _ := io.ReadAll(r.Body)
			w.WriteHeader(http.StatusConflict)
			_ = json.NewEncoder(w).Encode(map[string]string{"error": "no: " + string(body) + r.Header.Get(socket.TokenHeader)})
		case "/v1/events":
			_, _ = io.WriteString(w, "data: {}\n\n")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			close(gone)
		}
	}))
	status, err := c.Status(t.Context())
	if err != nil || status.Machine.Version != "1.2.3" {
		t.Fatal(status, err)
	}
	if _, err := c.Seated("TOKEN").Do(t.Context(), game.Leave{}); err == nil || err.Error() != "no: TOKEN" {
		t.Error(err)
	}
	if _, err := c.TakeSeat(t.Context(), api.SeatRequest{Seat: "red"}); err == nil || err.Error() != `no: {"seat":"red"}` {
		t.Error(err)
	}
	answer, err := c.Forward(t.Context(), "GET", "/v1/events", nil, nil)
	must(t, err)
	first := make([]byte, 8)
	if _, err := io.ReadFull(answer.Body, first); err != nil || string(first) != "data: {}" {
		t.Fatalf("%q, %v", first, err)
	}
	end()
	select {
	case <-gone:
	case <-time.After(5 * time.Minute):
		t.Fatal("the stream outlives the line")
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := c.Status(t.Context()); err == nil {
		t.Error("a request on a lost line")
	}
}

// Without a service, Answer returns an error and writes no greeting.
func TestAnswerWithoutService(t *testing.T) {
	var out strings.Builder
	err := Answer(t.Context(), strings.NewReader(""), &out, socket.Dial("/nowhere/socket"))
	if err == nil || out.Len() > 0 || !strings.Contains(err.Error(), "/nowhere/socket") {
		t.Errorf("%v, printed %q", err, out.String())
	}
}

// If the peer breaks the protocol, Answer returns and logs nothing.
func TestAnswerToNonsense(t *testing.T) {
	var logged strings.Builder
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
	for _, said := range []string{preface, preface + strings.Repeat("\x00", 1000), preface[:12] + preface, "GET / HTTP/1.1\r\n\r\n"} {
		synctest.Test(t, func(t *testing.T) {
			in, peer := io.Pipe()
			defer peer.Close()
			go func() { _, _ = io.WriteString(peer, said) }()
			to := service(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") })
			if err := Answer(t.Context(), in, io.Discard, to); err != nil {
				t.Errorf("%q: %v", said, err)
			}
			in.Close()
			to.Close()
		})
	}
	if logged.Len() > 0 {
		t.Error(logged.String())
	}
}

// A command that does not end by itself is killed, whatever it does. (With exec, killing the shell
// leaves no process behind.)
func TestLineProcess(t *testing.T) {
	for _, script := range []string{
		`printf 'hello\nc4hat link 1\n'; trap '' TERM HUP; exec sleep 1000`,
		`trap '' TERM HUP PIPE; printf 'c4hat link 1\n'; while :; do sleep 0.1; done`,
		`printf 'c4hat link 1\n'; yes >&2`,
	} {
		cmd := exec.Command("/bin/sh", "-c", script)
		l, err := run(t.Context(), "b", cmd)
		if err != nil {
			t.Fatal(script, err)
		}
		l.end()
		<-l.lost
		if cmd.ProcessState == nil {
			t.Errorf("%s: it still runs", script)
		}
	}
	// A command that does not greet is killed when the context ends.
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	cmd := exec.Command("/bin/sh", "-c", "exec sleep 1000")
	if _, err := run(ctx, "b", cmd); err == nil || cmd.ProcessState == nil {
		t.Errorf("%v, %v", err, cmd.ProcessState)
	}
}

// What the other machine says cannot command the terminal.
func TestSaysNoEscapes(t *testing.T) {
	cmd := exec.Command("/bin/sh", "-c", `printf 'c4hat: \033]0;owned\007\033[2Jno\r\n' >&2; exit 1`)
	_, err := run(t.Context(), "b", cmd)
	if err == nil || err.Error() != "b: ?]0;owned??[2Jno" {
		t.Errorf("%q", err)
	}
	l := Link{Tell: func(text string) {
		if text != "here 1.2, there ?[31m9" {
			t.Errorf("%q", text)
		}
	}}
	l.say("here %s, there %s", "1.2", "\x1b[31m9\n")
}

// Whatever the other machine prints before the greeting is skipped, up to a limit.
func FuzzNoise(f *testing.F) {
	f.Add("", "x")
	f.Add("motd\n\n", "PRI")
	f.Add(strings.Repeat("x", 5000), "")
	f.Fuzz(func(t *testing.T, noise, rest string) {
		whole := noise + "\n" + greeting + rest
		r := bufio.NewReader(strings.NewReader(whole))
		err := skipNoise(r)
		if len(noise) > maxNoise-4096 {
			return
		}
		after, _ := io.ReadAll(r)
		want := strings.TrimPrefix(whole[strings.Index("\n"+whole, "\n"+greeting):], greeting)
		if err != nil || string(after) != want {
			t.Errorf("%q: left %q, want %q, %v", whole, after, want, err)
		}
	})
}
