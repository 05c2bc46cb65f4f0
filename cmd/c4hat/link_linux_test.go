package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/game"
)

// pair is two services, a and b, and a line between them. The link runs on a's machine, whose
// joystick plays red.
type pair struct {
	a, b *running
	*line
	host  string
	env   []string            // the environment in which the link uses the line
	exe   string              // the link's program; if empty, the test's
	as    *syscall.Credential // the link's user; if nil, the test's
	names []string            // each process of the link has one of them in its arguments or environment
	link  *program
}

// newServices returns two services without a line.
func newServices(t testing.TB) *pair {
	t.Helper()
	p := &pair{a: newRunning(t), b: newRunning(t)}
	p.names = []string{p.a.socket, p.b.socket}
	p.a.start(t)
	p.b.start(t)
	return p
}

// newPair returns a pair whose line is a cable.
func newPair(t testing.TB) (*pair, *cable) {
	t.Helper()
	p := newServices(t)
	c := newCable(t, p.b.socket)
	p.line, p.host, p.env = &c.line, "pi@b", append(c.env(), "HERE="+p.a.socket)
	return p, c
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

// agree waits until both machines wait for a disc in the same match, and returns the moves of the
// round.
func (p *pair) agree(t testing.TB) (moves string) {
	t.Helper()
	eventually(t, func() bool {
		v, w := p.a.latest(), p.b.latest()
		moves = v.Game.String()
		return v.Phase == game.Aim && w.Phase == game.Aim && slices.Equal(v.Rounds(), w.Rounds())
	}, func() string { return "the matches differ: " + p.state() })
	return moves
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

// Each side drops its discs with its own joystick for a whole match and a rematch, and both
// machines show the same frames. When the link ends, no process is left.
func TestLink(t *testing.T) {
	t.Parallel()
	p, _ := newPair(t)
	p.linked(t, "--points", "1")
	moves := ""
	for i, col := range "1213141" {
		d, other := p.a, p.b
		if i%2 == 1 {
			d, other = p.b, p.a
		}
		p.both(t, moves)
		p.still(t)
		// A column that is pressed out of turn is rejected.
		if _, err := other.client.Do(t.Context(), game.Column{Col: 6}); err == nil {
			t.Errorf("disc %d was dropped out of turn", i+1)
		}
		for range abs(int(col-'1') - 3) { // to the column, from the middle
			key := uint16(keyLeft)
			if col > '4' {
				key = keyRight
			}
			d.tap(t, key)
		}
		d.until(t, "the cursor", func(v game.View) bool { return v.Cursor == int(col-'1') })
		p.shows(t, other, "the cursor of the other side", func(v game.View) bool { return v.Cursor == int(col-'1') })
		p.still(t)
		d.tap(t, keyEnter)
		moves += string(col)
	}
	for _, d := range []*running{p.a, p.b} {
		d.until(t, "the menu", func(v game.View) bool { return v.Phase == game.Menu })
		if d.winners[d.view.ID] != board.Red || d.view.Game.String() != moves {
			t.Errorf("%v wins after %s", d.winners[d.view.ID], d.view.Game.String())
		}
	}

	// A rematch that b starts also starts on a. Undo is rejected, a pause is shown on both machines,
	// and ending the match on one machine ends it on both.
	p.b.tap(t, keyEnter)
	p.taken(t)
	p.b.press(t, game.Pause)
	p.shows(t, p.a, "yellow away", func(v game.View) bool { return v.Seats[1].State == game.Away })
	p.b.press(t, game.Pause)
	p.taken(t)
	p.a.tap(t, keyDown)
	p.both(t, "4")
	for _, d := range []*running{p.a, p.b} {
		d.press(t, game.Undo)
		d.until(t, "the refusal", func(v game.View) bool { return v.Notice.Kind == game.NoticeFinal })
	}
	p.b.tap(t, keyUp, keyUp)
	p.b.until(t, "the end", func(v game.View) bool { return v.Choices.Name() == "end" })
	p.b.tap(t, keyEnter)
	for _, d := range []*running{p.a, p.b} {
		d.until(t, "the menu", func(v game.View) bool { return v.Phase == game.Menu && v.Match.Winner() == board.Empty })
	}
	if lines, _ := p.count(); lines != 1 {
		t.Errorf("%d lines", lines)
	}
	_ = p.link.Process.Signal(syscall.SIGINT)
	if err := p.link.Wait(); err != nil {
		t.Errorf("Ctrl-C: %v\n%s", err, p.link.errs.String())
	}
	p.noProcess(t)
}

func abs(n int) int { return max(n, -n) }

// However the link ends, no process is left on either machine, and the seats open at once or, after
// SIGKILL, within half a minute.
func TestLinkEnds(t *testing.T) {
	t.Parallel()
	t.Run("ssh", func(t *testing.T) {
		t.Parallel()
		p, _ := newSSHPair(t)
		p.ends(t)
	})
	t.Run("cable", func(t *testing.T) {
		t.Parallel()
		p, _ := newPair(t)
		p.ends(t)
		p.endsByKey(t)
	})
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

func (p *pair) ends(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGKILL} {
		p.linked(t)
		_ = p.link.Process.Signal(s)
		begun := time.Now()
		_ = p.link.Wait()
		p.noProcess(t)
		for _, d := range []*running{p.a, p.b} {
			p.shows(t, d, "open seats", func(v game.View) bool {
				return v.Seats == [2]game.Seat{} || s == syscall.SIGKILL && testing.Short() && (v.Seats[0].State == game.Away || v.Seats[1].State == game.Away)
			})
		}
		t.Logf("after %v no process, and open seats after %v", s, time.Since(begun).Round(10*time.Millisecond))
	}
	if testing.Short() {
		return
	}
	// Closing the terminal ends ssh too.
	s := open(t, p.env, "c4hat", "link", "--socket", p.a.socket, p.host)
	p.taken(t)
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGHUP)
	if got := s.status(t); got != 0 {
		t.Errorf("a closed terminal: exit status %d", got)
	}
	p.noProcess(t)
	for _, d := range []*running{p.a, p.b} {
		p.shows(t, d, "open seats", func(v game.View) bool { return v.Seats == [2]game.Seat{} })
	}
}

// endsByKey ends the link with q in a terminal.
func (p *pair) endsByKey(t *testing.T) {
	if _, err := p.a.client.End(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := p.b.client.End(t.Context()); err != nil {
		t.Error(err)
	}
	s := open(t, p.env, "c4hat", "link", "--socket", p.a.socket, "pi@b", "--as", "yellow")
	s.shows(t, "red is played by another client", "linked with pi@b")
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

// A link that cannot start says why in one line, and changes neither match.
func TestLinkRefused(t *testing.T) {
	t.Parallel()
	p, _ := newPair(t)
	refused := func(what string, env []string, says string, args ...string) {
		t.Helper()
		p.refused(t, what, env, says, args...)
	}
	refused("no ssh there", []string{"CABLE=/nowhere"}, "pi@b: ssh: ssh: connect to host b port 22: Connection refused; ssh pi@b c4hat status must work first")
	refused("no ssh here", []string{"PATH=/nowhere"}, "ssh is not installed here: sudo apt install openssh-client")
	refused("no c4hat there", []string{"SSH_RUNS=nowhere-c4hat"}, "pi@b: c4hat is not installed there")
	refused("an old c4hat there", []string{"SSH_RUNS=c4hat links"}, "pi@b: the c4hat there cannot link: install the same version on both machines")
	refused("noise", []string{"SSH_RUNS=yes noise"}, "pi@b: ssh: ")
	refused("no service there", []string{"SSH_RUNS=c4hat link --answer --socket /nowhere/s"}, "pi@b: the c4hat service is not running: nothing listens on /nowhere/s")
	refused("no service here", nil, "nothing listens on /nowhere/s", "--socket", "/nowhere/s")

	start := func(d *running, m api.MatchRequest, moves string) {
		t.Helper()
		m.Force = true
		started, err := d.client.Start(t.Context(), m)
		if err != nil {
			t.Fatal(err)
		}
		d.until(t, "the match", func(v game.View) bool { return v.ID == started.Match.ID })
		for i := range moves {
			d.press(t, game.Column{Col: int(moves[i] - '1')})
			d.aims(t, m.Position+moves[:i+1])
		}
	}
	end := func(d *running) {
		t.Helper()
		if _, err := d.client.End(t.Context()); err != nil {
			t.Fatal(err)
		}
		d.until(t, "the menu", func(v game.View) bool { return v.Phase == game.Menu })
	}
	start(p.a, api.MatchRequest{}, "4")
	refused("a match here", nil, "a match is under way here (7x6, two players: red 0, yellow 0): end it, or replace it with --force")
	start(p.b, api.MatchRequest{}, "3")
	refused("other discs", nil, "disc 1 is in column 4 in one match and in column 3 in the other")
	start(p.b, api.MatchRequest{Board: "8x8"}, "")
	refused("another board", nil, "7x6 and 8x8 are different games")
	start(p.b, api.MatchRequest{Points: 3}, "")
	refused("other points", nil, "first to 3 points")
	start(p.b, api.MatchRequest{First: "yellow"}, "")
	refused("other starters", nil, "begin differently")
	start(p.b, api.MatchRequest{Computer: "yellow"}, "")
	refused("the computer", nil, "the match on pi@b is against the computer")
	end(p.a)
	start(p.b, api.MatchRequest{}, "34")
	refused("a match there", nil, "a match is under way on pi@b")
	start(p.a, api.MatchRequest{}, "3")
	p.linked(t, "--first", "loser") // continues the match: --first is only for new ones
	p.both(t, "34")
	p.link.Process.Signal(syscall.SIGTERM)
	_ = p.link.Wait()
	p.linked(t, "--force", "--board", "8x8", "--points", "1", "--first", "random")
	if r := p.b.view.Match.Rules(); !r.FillsMatrix() || p.a.view.Match.Starter() != p.b.view.Match.Starter() {
		t.Errorf("%v", r)
	}
	p.noBlame(t)
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

// If somebody changes the match by hand while the line is broken, the link says so and ends; it
// changes neither match.
func TestLinkByHand(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, says string
		change     func(t *testing.T, d *running)
	}{
		{"a disc of the other side", "was dropped by hand", func(t *testing.T, d *running) { d.press(t, game.Column{Col: 0}) }},
		{"discs taken back", "taken back by hand", func(t *testing.T, d *running) { d.press(t, game.Undo); d.press(t, game.Undo) }},
		{"a disc taken back and another one dropped", "column", func(t *testing.T, d *running) {
			d.press(t, game.Undo)
			time.Sleep(300 * time.Millisecond)
			d.press(t, game.Column{Col: 0})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, c := newPair(t)
			p.linked(t)
			p.a.press(t, game.Column{Col: 3})
			p.both(t, "4")
			p.b.press(t, game.Column{Col: 3})
			p.both(t, "44")
			to := c.leads("/bin/false")
			p.cut()
			// A restart of the service opens the seat, so that somebody can change the match.
			p.b.kill(t)
			p.b.start(t)
			p.b.aims(t, "44")
			tt.change(t, p.b)
			time.Sleep(700 * time.Millisecond)
			a, b := p.a.latest().Record, p.b.latest().Record
			c.leads(to...)
			if err := p.link.Wait(); err == nil || p.link.ProcessState.ExitCode() != 1 || !strings.Contains(p.link.errs.String(), tt.says) {
				t.Errorf("%v, said %s", err, p.link.errs.String())
			}
			if p.a.latest().Record != a || p.b.latest().Record != b {
				t.Errorf("a match was changed: %s and %s", p.a.view.Game.String(), p.b.view.Game.String())
			}
		})
	}
}

// A match ends on one machine while the line is broken, and that machine's service restarts. When
// the line is back, the match ends on the other machine too.
func TestLinkFinished(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, moves, last string // without a last disc the match is ended without a winner
		winner            board.Disc
	}{
		{"won here", "121314", "1", board.Red},
		{"won there", "1212323", "2", board.Yellow},
		{"ended there", "1212323", "", board.Empty},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, c := newPair(t)
			p.linked(t, "--points", "1")
			for i := range tt.moves {
				[]*running{p.a, p.b}[i%2].press(t, game.Column{Col: int(tt.moves[i] - '1')})
				p.both(t, tt.moves[:i+1])
			}
			to := c.leads("/bin/false")
			p.cut()
			d := []*running{p.a, p.b}[len(tt.moves)%2]
			if tt.last != "" {
				d.press(t, game.Column{Col: int(tt.last[0] - '1')})
			} else if _, err := d.client.End(t.Context()); err != nil {
				t.Fatal(err)
			}
			p.shows(t, d, "the end", func(v game.View) bool { return !v.UnderWay })
			eventually(t, func() bool { return len(pastOf(t, d)) == 1 }, func() string { return "it is not in the history" })
			d.kill(t)
			d.start(t)
			c.leads(to...)
			for _, d := range []*running{p.a, p.b} {
				p.shows(t, d, "the end", func(v game.View) bool { return !v.UnderWay })
			}
			p.link.says(t, "start a match on either HAT")
			p.quit(t)
			p.a.stop(t)
			p.b.stop(t)
			for _, d := range []*running{p.a, p.b} {
				all := pastOf(t, d)
				if len(all) != 1 || strings.Join(all[0].Rounds(), "/") != tt.moves+tt.last || all[0].Final().Winner() != tt.winner {
					t.Errorf("the history is %v", all)
				}
			}
		})
	}
}
