package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

// pair is two services, a and b. The link runs on a's machine, whose
// joystick plays red.
type pair struct {
	a, b  *running
	host  string
	env   []string            // the environment of the link
	exe   string              // the link's program; if empty, the test's
	as    *syscall.Credential // the link's user; if nil, the test's
	names []string            // each process of the link has one of them in its arguments or environment
	link  *program
}

// newServices returns two services.
func newServices(t testing.TB) *pair {
	t.Helper()
	p := &pair{a: newRunning(t), b: newRunning(t)}
	p.names = []string{p.a.socket, p.b.socket}
	p.a.start(t)
	p.b.start(t)
	return p
}

// command returns a c4hat link that is not started yet.
func (p *pair) command(t testing.TB, args ...string) *program {
	t.Helper()
	l := newProgram(t, p.env, append([]string{"c4hat", "link", "--socket", p.a.socket, p.host}, args...)...)
	if p.as != nil {
		l.Path, l.SysProcAttr = p.exe, &syscall.SysProcAttr{Credential: p.as}
	}
	return l
}

// linked starts the link, and waits until both seats are taken.
func (p *pair) linked(t testing.TB, args ...string) {
	t.Helper()
	p.link = p.command(t, args...)
	p.link.begin(t)
	p.taken(t)
}

// regained is how long the link may take to regain a seat: half a minute until it connects again,
// half a minute until the service opens the seat, and some time because the machine may be busy.
const regained = 3 * patience

func (p *pair) taken(t testing.TB) {
	t.Helper()
	within(t, regained, func() bool {
		return p.a.latest().Seats == [2]game.Seat{{State: game.Open}, {State: game.Taken}} && p.b.latest().Seats == [2]game.Seat{{State: game.Taken}, {State: game.Open}}
	}, func() string { return "the seats are not taken: " + p.state() })
}

// state returns, for messages, what both machines show and what the link has printed.
func (p *pair) state() string {
	v, w := p.a.latest(), p.b.latest()
	return fmt.Sprintf("here %v %v %v, there %v %v %v\n%s", v.Phase, v.Rounds(), v.Seats, w.Phase, w.Rounds(), w.Seats, p.link.errs.String())
}

// processes returns the arguments of the link's processes: c4hat link, its ssh, and the command on
// the other machine.
func (p *pair) processes() (found map[int]string) {
	found = map[int]string{}
	all, _ := filepath.Glob("/proc/[1-9]*")
	for _, dir := range all {
		args, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		environment, _ := os.ReadFile(filepath.Join(dir, "environ"))
		text := strings.ReplaceAll(string(args), "\x00", " ")
		if strings.Contains(text, " daemon ") {
			continue
		}
		for _, name := range p.names {
			if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil && (strings.Contains(text, name) || bytes.Contains(environment, []byte(name))) {
				found[pid] = text
			}
		}
	}
	return found
}

// noProcess waits until no process of the link is running.
func (p *pair) noProcess(t testing.TB) {
	t.Helper()
	var left map[int]string
	eventually(t, func() bool { left = p.processes(); return len(left) == 0 }, func() string { return fmt.Sprintf("%v still run", left) })
}

// shows waits for a view on one machine.
func (p *pair) shows(t testing.TB, d *running, what string, ok func(game.View) bool) {
	t.Helper()
	eventually(t, func() bool { return ok(d.latest()) }, func() string { return what + " does not come: " + p.state() })
}

// both waits until both machines have these discs and wait for the next one.
func (p *pair) both(t testing.TB, moves string) {
	t.Helper()
	p.a.aims(t, moves)
	p.b.aims(t, moves)
}

// still waits until both machines show the same frame, apart from the cursor, which pulses.
func (p *pair) still(t testing.TB) {
	t.Helper()
	frame := func(v game.View) game.Frame {
		for i := range 8 {
			if l := v.Frame[i]; l == game.LEDRed.Dimmed() || l == game.LEDYellow.Dimmed() {
				v.Frame[i] = map[game.LED]game.LED{game.LEDRed.Dimmed(): game.LEDRed, game.LEDYellow.Dimmed(): game.LEDYellow}[l]
			}
		}
		return v.Frame
	}
	eventually(t, func() bool { return frame(p.a.latest()) == frame(p.b.latest()) }, func() string {
		return fmt.Sprintf("the frames differ:\n%v\n%v", p.a.view.Frame, p.b.view.Frame)
	})
}

// However the link ends, no process is left on either machine, and the seats open at once or, after
// SIGKILL, within half a minute.
func TestLinkEnds(t *testing.T) {
	t.Parallel()
	p, _ := newSSHPair(t)
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGKILL}
	if testing.Short() {
		signals = signals[1:2]
	}
	for _, s := range signals {
		p.linked(t)
		_ = p.link.Process.Signal(s)
		begun := time.Now()
		_ = p.link.Wait()
		p.noProcess(t)
		p.opens(t)
		t.Logf("after %v no process, and open seats after %v", s, time.Since(begun).Round(10*time.Millisecond))
	}
	// Closing the terminal ends ssh too.
	s := open(t, p.env, "c4hat", "link", "--socket", p.a.socket, p.host)
	p.taken(t)
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGHUP)
	if got := s.status(t); got != 0 {
		t.Errorf("a closed terminal: exit status %d", got)
	}
	p.noProcess(t)
	p.opens(t)
	// The terminal shows the match, and its keys play.
	for _, d := range []*running{p.a, p.b} {
		if _, err := d.client.Do(t.Context(), game.End{}); err != nil {
			t.Error(err)
		}
	}
	s = open(t, p.env, "c4hat", "link", "--socket", p.a.socket, p.host, "--as", "yellow")
	s.shows(t, "somebody else plays red", "linked with b")
	p.a.until(t, "red's seat", func(v game.View) bool { return v.Seats == [2]game.Seat{{State: game.Taken}, {State: game.Open}} })
	p.b.tap(t, keyDown)
	s.redraws(t, "yellow to move")
	s.types(t, "5")
	p.both(t, "45")
	s.types(t, "q")
	if got := s.status(t); got != 0 {
		t.Errorf("q: exit status %d", got)
	}
	s.intact(t)
	p.noProcess(t)
	p.noBlame(t)
}

func (p *pair) opens(t testing.TB) {
	t.Helper()
	for _, d := range []*running{p.a, p.b} {
		p.shows(t, d, "open seats", func(v game.View) bool { return v.Seats == [2]game.Seat{} })
	}
}

// A laptop is closed and opened again: the link's processes on one machine are stopped, and
// continued later.
func TestLinkAsleep(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a minute")
	}
	t.Parallel()
	p, _ := newSSHPair(t)
	p.linked(t)
	begun := time.Now()
	asleep := p.processes()
	for pid, args := range asleep {
		if p.thereRuns(args) {
			delete(asleep, pid)
		} else {
			_ = syscall.Kill(pid, syscall.SIGSTOP)
		}
	}
	wake := func() {
		for pid := range asleep {
			_ = syscall.Kill(pid, syscall.SIGCONT)
		}
	}
	defer wake() // also if the test fails
	eventually(t, func() bool {
		for _, args := range p.processes() {
			if strings.Contains(args, p.b.socket) {
				return false
			}
		}
		return true
	}, func() string { return fmt.Sprintf("%v still run", p.processes()) })
	t.Logf("the command on the other machine ended after %v", time.Since(begun).Round(100*time.Millisecond))
	p.shows(t, p.b, "open seats", func(v game.View) bool { return v.Seats == [2]game.Seat{} })
	t.Logf("the seat there was open after %v", time.Since(begun).Round(100*time.Millisecond))
	p.b.press(t, game.Column{Col: 3}) // the open seat lets anybody drop a disc
	p.b.press(t, game.Undo)
	wake()
	p.taken(t)
	p.quit(t)
	p.noProcess(t)
}

// thereRuns reports whether a process with these arguments runs on the other machine.
func (p *pair) thereRuns(args string) bool {
	return strings.Contains(args, p.b.socket) || strings.HasPrefix(args, "sshd: ")
}

// quit ends the link with SIGINT.
func (p *pair) quit(t testing.TB) {
	t.Helper()
	_ = p.link.Process.Signal(syscall.SIGINT)
	if err := p.link.Wait(); err != nil {
		t.Errorf("%v\n%s", err, p.link.errs.String())
	}
}

// refused checks that a link fails with one line that says why, and changes neither match.
func (p *pair) refused(t testing.TB, what string, env []string, says string, args ...string) {
	t.Helper()
	a, b := p.a.latest(), p.b.latest()
	l := p.command(t, args...)
	l.Env = append(l.Env, env...)
	l.begin(t)
	err := l.Wait()
	if text := l.errs.String(); l.ProcessState.ExitCode() != 1 || !strings.Contains(text, says) || strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "c4hat: ") {
		t.Errorf("%s: %v, said %q, want %q", what, err, text, says)
	}
	if a2, b2 := p.a.latest(), p.b.latest(); a2.Record != a.Record || b2.Record != b.Record || a2.Seats != a.Seats || b2.Seats != b.Seats {
		t.Errorf("%s: a match was changed", what)
	}
	p.noProcess(t)
}

// A link for which there is no line says why in one line, and changes neither match.
func TestLinkRefused(t *testing.T) {
	t.Parallel()
	p := newServices(t)
	exe, err := os.Executable()
	must(t, err)
	dir := t.TempDir()
	for _, name := range []string{"ssh", "c4hat"} {
		must(t, os.Symlink(exe, filepath.Join(dir, name)))
	}
	p.host, p.env = "pi@b", []string{"PATH=" + dir + ":/usr/bin:/bin", "HERE=" + p.a.socket}
	refused := func(what, runs, says string, args ...string) {
		t.Helper()
		p.refused(t, what, []string{"SSH_RUNS=" + runs}, says, args...)
	}
	refused("no ssh there", "echo ssh: connect to host b port 22: Connection refused >&2; exit 255", "pi@b: ssh: ssh: connect to host b port 22: Connection refused; ssh pi@b c4hat status must work first")
	refused("no c4hat there", "nowhere-c4hat", "pi@b: c4hat is not installed there")
	refused("an old c4hat there", "c4hat links", "pi@b: the c4hat there cannot link: install the same version on both machines")
	refused("noise", "yes noise", "pi@b: ssh: ")
	refused("no service there", "c4hat link --answer --socket /nowhere/s", "pi@b: the c4hat service is not running: nothing listens on /nowhere/s")
	refused("no service here", "", "nothing listens on /nowhere/s", "--socket", "/nowhere/s")
	p.refused(t, "no ssh here", []string{"PATH=/nowhere"}, "ssh is not installed here: sudo apt install openssh-client")
}

// noBlame checks that no service has logged a fault.
func (p *pair) noBlame(t testing.TB) {
	t.Helper()
	for _, d := range []*running{p.a, p.b} {
		if log := d.program.errs.String(); strings.Contains(log, "level=ERROR") || strings.Contains(log, "fault") {
			t.Error(log)
		}
	}
}
