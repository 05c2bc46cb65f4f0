package browser

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// namespace makes a network of the browser's machine and another one, which ends with the test. do runs ip in
// that namespace. On a machine that cannot make one, ok is false.
func namespace(t *testing.T) (name, there string, do func(args ...string), ok bool) {
	t.Helper()
	id := os.Getpid()
	name = fmt.Sprintf("c4hat%d", id)
	subnet := fmt.Sprintf("10.%d.%d.", 192+id>>14&31, id>>6&255) // of this process: a killed test leaves its own
	here := fmt.Sprint(subnet, id&63*4+1)
	there = fmt.Sprint(subnet, id&63*4+2)
	do = func(args ...string) {
		t.Helper()
		if out, err := exec.Command("ip", append([]string{"-n", name}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("ip -n %s %v: %v %s", name, args, err, out)
		}
	}
	t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", name).Run() })
	for _, command := range []string{
		"netns add " + name,
		fmt.Sprintf("-n %s link add wire type veth peer name %s netns %d", name, name, id),
		"address add " + here + "/30 dev " + name,
		"link set " + name + " up",
		"-n " + name + " address add " + there + "/30 dev wire",
		"-n " + name + " link set wire up",
	} {
		if out, err := exec.Command("ip", strings.Fields(command)...).CombinedOutput(); err != nil {
			t.Logf("ip %s: %v %s", command, err, out)
			return "", "", nil, false
		}
	}
	return name, there, do, true
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

var sleep = flag.Duration("sleep", 7*time.Second, "how long the browser sleeps")

// Whatever breaks, the page says that the connection is lost, comes back by itself, and a press that
// was made in between is never played. With -v the test prints what was said when.
func TestLost(t *testing.T) {
	t.Parallel() // it mostly waits
	testLost(t, false)
}

// TestCut runs alone: a browser ends all requests when a network of its machine changes.
func TestCut(t *testing.T) { testLost(t, true) }

func testLost(t *testing.T, cut bool) {
	d := newDaemon(t)
	state := t.TempDir()
	host, command := "127.0.0.1:0", []string{c4hat, "web", "--state", state, "--socket", d.socket, "--listen"}
	var space, there string
	var ip func(...string)
	if cut {
		var ok bool
		if space, there, ip, ok = namespace(t); !ok {
			t.Skip("this machine makes no network namespaces")
		}
		host, command = there+":8484", append([]string{"ip", "netns", "exec", space}, command...)
	}
	start := func() *program { return run(t, command[0], append(command[1:], host)...) }
	server := start()
	link := server.link(t)
	url, _, _ := strings.Cut(link, "/?")
	host = strings.TrimPrefix(url, "http://")
	p := atTurn(t, link)
	serviceSignal := func(s syscall.Signal) { _ = d.Process.Signal(s) }
	serverSignal := func(s syscall.Signal) { _ = server.Process.Signal(s) }
	for _, tt := range []struct {
		name          string
		breaks, mends func()
		network       bool
	}{
		{"no packet arrives", func() { ip("address", "del", there+"/30", "dev", "wire") }, func() { ip("address", "add", there+"/30", "dev", "wire") }, true},
		{"the cable is pulled", func() { ip("link", "set", "wire", "down") }, func() { ip("link", "set", "wire", "up") }, true},
		{"the service is stopped", func() { serviceSignal(syscall.SIGSTOP) }, func() { serviceSignal(syscall.SIGCONT) }, false},
		{"the service is killed", d.kill, func() { d.start(t) }, false},
		{"the page's server is stopped", func() { serverSignal(syscall.SIGSTOP) }, func() { serverSignal(syscall.SIGCONT) }, false},
		{"the page's server is killed", func() { serverSignal(syscall.SIGKILL); <-server.end }, func() { server = start() }, false},
	} {
		if tt.network != cut {
			continue
		}
		for _, pressed := range []bool{false, true} {
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
}

// atTurn opens a page of a match with two discs, in red's turn.
func atTurn(t *testing.T, link string) *page {
	p := open(t, link)
	p.once = true
	p.until("the demo", "document.body.dataset.phase === 'attract'")
	p.post("v1/match", `{"position":"44"}`)
	p.until("the match", "document.body.dataset.phase === 'aim'")
	p.status("Red to move")
	return p
}

// Asleep, the browser learns nothing. Awake, it shows what has happened, and drops for nobody else.
func TestAsleep(t *testing.T) {
	d := newDaemon(t)
	_, link := serve(t, t.TempDir(), "--socket", d.socket)
	p := atTurn(t, link)
	signalAll(t, *browserFlag, syscall.SIGSTOP)
	d.ask(t, http.MethodPost, "/v1/press", `{"column":7}`)
	time.Sleep(*sleep) // longer than a press may take
	signalAll(t, *browserFlag, syscall.SIGCONT)
	woke := time.Now()
	p.status("Yellow to move")
	t.Logf("%-30s shows the turn %.1f s after", "the browser sleeps", time.Since(woke).Seconds())
	p.once = false // a click right after the other disc has landed does nothing
	p.click("#columns button:nth-child(5)")
	p.until("one disc", "document.body.dataset.phase === 'aim' && document.querySelectorAll('#moves li').length === 4")
	if moves := d.moves(t); moves != "4475" {
		t.Errorf("awake: %s", moves)
	}
}
