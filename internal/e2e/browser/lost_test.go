package browser

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// wire passes bytes between a browser and the page's server. Cut, it keeps them until it is mended, as a
// network does that repeats lost packets.
type wire struct {
	net.Listener
	to   string
	mu   sync.Mutex
	cond *sync.Cond
	cut  bool
}

func newWire(t *testing.T, to string) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{Listener: l, to: to}
	w.cond = sync.NewCond(&w.mu)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				w.pass()
				server, err := net.Dial("tcp", w.to)
				if err != nil {
					return
				}
				defer server.Close()
				go func() { defer server.Close(); w.copy(server, conn) }()
				w.copy(conn, server)
			}()
		}
	}()
	t.Cleanup(func() { l.Close(); w.set(false) })
	return w
}

// pass waits until the wire is whole.
func (w *wire) pass() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.cut {
		w.cond.Wait()
	}
}

func (w *wire) set(cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = cut
	w.cond.Broadcast()
}

func (w *wire) copy(to io.Writer, from io.Reader) {
	buffer := make([]byte, 4096)
	for {
		n, err := from.Read(buffer)
		w.pass()
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// moves returns the columns played in the service's match.
func (d *daemon) moves(t *testing.T) string {
	t.Helper()
	answer, err := d.client().Get("http://c4hat/v1/status")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var doc struct{ Match struct{ Rounds []string } }
	if err := json.NewDecoder(answer.Body).Decode(&doc); err != nil {
		t.Fatal(err)
	}
	return strings.Join(doc.Match.Rounds, "/")
}

// signalAll sends a signal to this process's descendants whose command has a name.
func signalAll(t *testing.T, name string, s syscall.Signal) {
	t.Helper()
	parents := map[int]int{}
	names := map[int]string{}
	dirs, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range dirs {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		before, after, _ := strings.Cut(string(text), ") ")
		id, command, _ := strings.Cut(before, " (")
		pid, _ := strconv.Atoi(id)
		parents[pid], _ = strconv.Atoi(strings.Fields(after)[1])
		line, _ := os.ReadFile("/proc/" + id + "/cmdline")
		names[pid] = command + string(line)
	}
	some := false
	for pid, text := range names {
		for at := pid; at > 1; at = parents[at] {
			if at == os.Getpid() && pid != at && strings.Contains(text, name) {
				_ = syscall.Kill(pid, s)
				some = true
			}
		}
	}
	if !some {
		t.Fatalf("no process of %s", name)
	}
}

// Whatever breaks, the page says that the connection is lost, comes back by itself, and a press that
// was made in between is never played. With -v the test prints what was said when.
func TestLost(t *testing.T) {
	d := newDaemon(t)
	state := t.TempDir()
	server, link := serve(t, state, "--socket", d.socket)
	url, key, _ := strings.Cut(link, "/?")
	host := strings.TrimPrefix(url, "http://")
	w := newWire(t, host)
	p := open(t, "http://"+w.Addr().String()+"/?"+key)
	p.until("the demo", "document.body.dataset.phase === 'attract'")
	p.post("v1/match", `{"position":"44"}`)
	p.until("the match", "document.body.dataset.phase === 'aim'")
	p.status("Red to move")
	serviceSignal := func(s syscall.Signal) { _ = d.Process.Signal(s) }
	serverSignal := func(s syscall.Signal) { _ = server.Process.Signal(s) }
	again := func() {
		server = run(t, nil, "web", "--listen", host, "--state", state, "--socket", d.socket)
	}
	for _, tt := range []struct {
		name          string
		breaks, mends func()
		only          string // a press reveals it
	}{
		{"the network is silent", func() { w.set(true) }, func() { w.set(false) }, ""},
		{"the service is stopped", func() { serviceSignal(syscall.SIGSTOP) }, func() { serviceSignal(syscall.SIGCONT) }, "a press"},
		{"the service is killed", d.kill, func() { d.start(t) }, ""},
		{"the page's server is stopped", func() { serverSignal(syscall.SIGSTOP) }, func() { serverSignal(syscall.SIGCONT) }, ""},
		{"the page's server is killed", func() { serverSignal(syscall.SIGKILL); <-server.end }, again, ""},
	} {
		for _, pressed := range []bool{false, true} {
			if tt.only != "" && !pressed {
				continue
			}
			before := d.moves(t)
			p.until("the turn", "document.body.dataset.link === 'on' && document.body.dataset.phase === 'aim'")
			began := time.Now()
			tt.breaks()
			if pressed {
				p.click("#columns button:nth-child(1)")
				p.keys(" 2") // a press at the cursor, and another column
			}
			p.status("The connection is lost. Trying again …")
			said := time.Since(began)
			if pressed {
				p.click("#columns button:nth-child(3)") // the page knows by now
			}
			if pressed && said < 6*time.Second {
				time.Sleep(6*time.Second - said) // presses of before are late by now
			}
			back := time.Now()
			tt.mends()
			p.until("the turn", "document.body.dataset.link === 'on' && document.body.dataset.phase === 'aim'")
			returned := time.Since(back)
			p.status("Red to move")
			if moves := d.moves(t); moves != before {
				t.Errorf("%s: %s was played after %s", tt.name, moves, before)
			}
			t.Logf("%-30s pressed: %-5v said after %.1f s, back after %.1f s", tt.name, pressed, said.Seconds(), returned.Seconds())
		}
	}

	// Asleep, the browser learns nothing. Awake, it shows what has happened, and drops for nobody else.
	command := map[string]string{"chromium": "chromium", "firefox": "firefox"}[*browserFlag]
	signalAll(t, command, syscall.SIGSTOP)
	d.ask(t, http.MethodPost, "/v1/press", `{"column":7}`)
	time.Sleep(7 * time.Second) // longer than a press may take
	signalAll(t, command, syscall.SIGCONT)
	woke := time.Now()
	p.status("Yellow to move")
	t.Logf("%-30s shows the turn %.1f s after", "the browser sleeps", time.Since(woke).Seconds())
	p.click("#columns button:nth-child(5)")
	p.until("one disc", "document.body.dataset.phase === 'aim' && document.querySelectorAll('#moves li').length === 4")
	if moves := d.moves(t); moves != "4475" {
		t.Errorf("awake: %s", moves)
	}
}
