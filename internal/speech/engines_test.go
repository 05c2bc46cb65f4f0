package speech

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// station is a speech-dispatcher that says each text in a second.
type station struct {
	hangs, refuses bool
	starts         time.Duration // how long it takes to start
	conn           net.Conn      // the newest connection
	got            []string      // texts, and CANCEL
	stop           chan bool     // cancels the text that is being said
}

func (s *station) dial(context.Context) (net.Conn, error) {
	here, there := net.Pipe()
	s.conn = there
	go s.serve(there)
	return here, nil
}

func (s *station) serve(conn net.Conn) {
	say := func(lines ...string) {
		for _, line := range lines {
			fmt.Fprintf(conn, "%s\r\n", line)
		}
	}
	time.Sleep(s.starts)
	id, stop := 0, make(chan bool, 1)
	s.stop = stop
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		switch line := lines.Text(); {
		case s.hangs:
		case s.refuses:
			say("300-Something", "300 ERR INTERNAL")
		case line == "SPEAK":
			say("230 OK RECEIVING DATA")
			text := ""
			for lines.Scan() && lines.Text() != "." {
				text += strings.TrimPrefix(lines.Text(), ".")
			}
			s.got = append(s.got, text)
			id++
			say(fmt.Sprintf("225-%d", id), "225 OK MESSAGE QUEUED", fmt.Sprintf("701-%d", id), fmt.Sprintf("702-%d", id), "701 BEGIN")
			go func(id int) {
				event := "702"
				select {
				case <-time.After(time.Second):
				case <-stop:
					event = "703"
				}
				say(fmt.Sprintf("%s-%d", event, id), event+"-7", event+" OVER")
			}(id)
		case line == "CANCEL self":
			s.got = append(s.got, "CANCEL")
			stop <- true
			say("210 OK CANCELED")
		default:
			say("208 OK " + line)
		}
	}
}

// speech-dispatcher says texts to their end or is cancelled. If it is restarted, a new connection says
// the next text. If it hangs or refuses, that takes seconds.
func TestDispatcher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &station{}
		d := &dispatcher{dial: s.dial, options: Options{Rate: 250, Language: "en", Voice: "f3"}}
		say := func(text string, cut time.Duration) (time.Duration, error) {
			start := time.Now()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if cut > 0 {
				defer time.AfterFunc(cut, cancel).Stop()
			}
			err := d.say(ctx, text)
			return time.Since(start), err
		}
		for _, text := range []string{"red 4", ".", "two\nlines"} {
			if took, err := say(text, 0); took != time.Second || err != nil {
				t.Errorf("%q: %v, %v", text, took, err)
			}
		}
		if took, err := say("a long text", 300*time.Millisecond); took != 300*time.Millisecond || !errors.Is(err, context.Canceled) {
			t.Error(took, err)
		}
		time.AfterFunc(300*time.Millisecond, func() { s.stop <- true }) // another program cancels everything
		if took, err := say("a text", 0); took != 300*time.Millisecond || err != nil {
			t.Error("cancelled elsewhere:", took, err)
		}
		s.conn.Close()
		if took, err := say("again", 0); took != time.Second || err != nil {
			t.Error("restarted:", took, err)
		}
		s.conn.Close()
		s.starts = 5 * time.Second
		if took, err := say("a cold start", 0); took != 6*time.Second || err != nil {
			t.Error("started by the connection:", took, err)
		}
		if want := []string{"red 4", ".", "two lines", "a long text", "CANCEL", "a text", "again", "a cold start"}; !slices.Equal(s.got, want) {
			t.Errorf("%q", s.got)
		}
		s.starts, s.refuses = 0, true
		if took, err := say("no", 0); took != 0 || err == nil || !strings.Contains(err.Error(), "300 ERR") {
			t.Error(took, err)
		}
		s.hangs = true
		if took, err := say("no", 0); took > startTime+replyTime || err == nil || !strings.Contains(err.Error(), "does not answer") {
			t.Error(took, err)
		}
	})
}

func TestSockets(t *testing.T) {
	env := map[string]string{"SPEECHD_ADDRESS": "unix_socket:/tmp/s", "XDG_RUNTIME_DIR": "/run/user/1000"}
	got := Sockets(func(name string) string { return env[name] })
	if want := []string{"/tmp/s", "/run/user/1000/speech-dispatcher/speechd.sock", "/run/speech-dispatcher/speechd.sock"}; !slices.Equal(got, want) {
		t.Error(got)
	}
}

// espeak-ng gets the text and how to speak; without a sound device it says so, with status 0.
func TestProgram(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("needs a shell")
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	p := espeak(Options{Rate: 200, Language: "en-gb"})
	for _, tt := range []struct{ script, want string }{
		{"", "it is not installed: sudo apt install espeak-ng"},
		{`echo "$*: $(/bin/cat)" >"$0.said"; echo "ALSA lib: underrun" >&2`, ""},
		{`echo "ALSA lib pcm.c: Unknown PCM default" >&2; echo "error: No such file or directory" >&2`, "error: No such file or directory"},
		{`echo usage >&2; exit 3`, "exit status 3: usage"},
		{`kill -9 $$`, "signal: killed"},
	} {
		if tt.script != "" {
			if err := os.WriteFile(filepath.Join(dir, "espeak-ng"), []byte("#!/bin/sh\n"+tt.script+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.say(t.Context(), "red 4"); fmt.Sprint(err) != tt.want && (err != nil || tt.want != "") {
			t.Errorf("%q: %v", tt.script, err)
		}
	}
	if said, _ := os.ReadFile(filepath.Join(dir, "espeak-ng.said")); string(said) != "-z -s 200 -v en-gb --stdin: red 4\n" {
		t.Errorf("%q", said)
	}
	// It hangs until it is killed, whenever that is.
	if err := os.WriteFile(filepath.Join(dir, "espeak-ng"), []byte("#!/bin/sh\nexec /bin/sleep 1000\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := p.say(ctx, "red 4"); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}
