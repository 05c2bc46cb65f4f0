package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/socketdir"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/c4hat/c4hat/internal/wire"
)

var cuts = flag.Int("cuts", 6, "how often TestLinkCuts breaks something")

// cable is the line between the stand-in for ssh and the command on the other machine.
type cable struct {
	path string
	dir  string // has ssh and c4hat
	to   []string

	mu    sync.Mutex
	free  *sync.Cond
	held  bool
	conns map[net.Conn]bool
	lines int   // so far
	bytes int64 // both ways
	args  string
	wg    sync.WaitGroup
}

// newCable leads to a service.
func newCable(t testing.TB, socket string) *cable {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{path: filepath.Join(socketdir.New(t), "cable"), dir: t.TempDir(), conns: map[net.Conn]bool{}}
	c.free = sync.NewCond(&c.mu)
	for _, name := range []string{"ssh", "c4hat"} {
		if err := os.Symlink(exe, filepath.Join(c.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	c.to = []string{filepath.Join(c.dir, "c4hat"), "link", "--answer", "--socket", socket}
	l, err := net.Listen("unix", c.path)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			c.wg.Go(func() { c.carry(conn) })
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		c.release()
		c.cut()
		c.wg.Wait()
	})
	return c
}

// env makes a program use the cable.
func (c *cable) env() []string {
	return []string{"CABLE=" + c.path, "PATH=" + c.dir + ":/usr/bin:/bin"}
}

// carry runs the command for one line.
func (c *cable) carry(conn net.Conn) {
	var args []byte
	for b := []byte{0}; ; args = append(args, b[0]) {
		if _, err := conn.Read(b); err != nil || b[0] == '\n' {
			break
		}
	}
	c.mu.Lock()
	c.conns[conn] = true
	c.lines++
	c.args = string(args)
	to := c.to
	c.mu.Unlock()
	cmd := exec.Command(to[0], to[1:]...)
	cmd.Env = testEnvironment()
	in, _ := cmd.StdinPipe()
	out, _ := cmd.StdoutPipe()
	if err := cmd.Start(); err != nil {
		_ = conn.Close()
		return
	}
	_, _ = io.WriteString(conn, "Welcome to the other machine.\n") // as a shell may
	done := make(chan struct{})
	go func() {
		defer close(done)
		c.copy(conn, out)
		_ = conn.Close()
	}()
	c.copy(in, conn) // what was sent before the line was cut arrives, however late
	_ = in.Close()
	<-done
	_ = cmd.Wait()
	c.mu.Lock()
	delete(c.conns, conn)
	c.mu.Unlock()
}

func (c *cable) copy(to io.Writer, from io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		c.mu.Lock()
		for c.held {
			c.free.Wait()
		}
		c.bytes += int64(n)
		c.mu.Unlock()
		if _, lost := to.Write(buf[:n]); err != nil || lost != nil {
			return
		}
	}
}

// hold keeps everything that is sent from now on.
func (c *cable) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = true
}

func (c *cable) release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = false
	c.free.Broadcast()
}

// cut ends every line.
func (c *cable) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.conns {
		_ = conn.Close()
	}
}

func (c *cable) count() (lines int, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lines, c.bytes
}

// pair is two services and a cable between them. Here is red.
type pair struct {
	a, b  *running
	cable *cable
	link  *program
}

func newPair(t testing.TB) *pair {
	t.Helper()
	p := &pair{a: newRunning(t), b: newRunning(t)}
	p.a.start(t)
	p.b.start(t)
	p.cable = newCable(t, p.b.socket)
	return p
}

// run runs c4hat link.
func (p *pair) run(t testing.TB, args ...string) *program {
	t.Helper()
	return start(t, p.cable.env(), append([]string{"c4hat", "link", "--socket", p.a.socket, "pi@b"}, args...)...)
}

// linked starts the link, and waits until both seats are taken.
func (p *pair) linked(t testing.TB, args ...string) {
	t.Helper()
	p.link = p.run(t, args...)
	p.taken(t)
}

func (p *pair) taken(t testing.TB) {
	t.Helper()
	eventually(t, func() bool {
		return p.a.latest().Seats == [2]game.Seat{game.Open, game.Taken} && p.b.latest().Seats == [2]game.Seat{game.Taken, game.Open}
	}, func() string {
		return fmt.Sprintf("the seats are %v and %v, %v after %s and %v after %s\n%s", p.a.view.Seats, p.b.view.Seats,
			p.a.view.Phase, p.a.view.Game.String(), p.b.view.Phase, p.b.view.Game.String(), p.link.errs.String())
	})
}

// shows waits for a view on one side.
func (p *pair) shows(t testing.TB, d *running, what string, ok func(game.View) bool) {
	t.Helper()
	eventually(t, func() bool { return ok(d.latest()) }, func() string {
		p.a.latest()
		p.b.latest()
		return fmt.Sprintf("%s does not come: here %v after %v, seats %v, cursor %d; there %v after %v, seats %v, cursor %d\n%s", what,
			p.a.view.Phase, p.a.view.Rounds(), p.a.view.Seats, p.a.view.Cursor,
			p.b.view.Phase, p.b.view.Rounds(), p.b.view.Seats, p.b.view.Cursor, p.link.errs.String())
	})
}

// both waits until both machines show a turn of the same match after the discs.
func (p *pair) both(t testing.TB, moves string) {
	t.Helper()
	p.a.aims(t, moves)
	p.b.aims(t, moves)
}

// still waits until the frames are equal, but for a cursor that breathes.
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

// A whole match, each disc by its own joystick, ended by q: both show the same all the time,
// and no process is left.
func TestLink(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.linked(t, "--points", "1")
	moves := ""
	for i, col := range "1213141" {
		d, other := p.a, p.b
		if i%2 == 1 {
			d, other = p.b, p.a
		}
		p.both(t, moves)
		p.still(t)
		// A press of the wrong side changes nothing.
		if _, err := other.client.Press(t.Context(), game.Column{Col: 6}); err == nil {
			t.Errorf("disc %d by the wrong side", i+1)
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

	// A rematch that is started there starts here too; undo is refused, a pause shows, and the
	// end on one side ends both.
	p.b.tap(t, keyEnter)
	p.taken(t)
	p.b.press(t, game.Pause)
	p.shows(t, p.a, "yellow away", func(v game.View) bool { return v.Seats[1] == game.Away })
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
	if lines, _ := p.cable.count(); lines != 1 {
		t.Errorf("%d lines", lines)
	}
	_ = p.link.Process.Signal(syscall.SIGINT)
	if err := p.link.Wait(); err != nil {
		t.Errorf("Ctrl-C: %v\n%s", err, p.link.errs.String())
	}
	p.noProcess(t)
}

func abs(n int) int { return max(n, -n) }

// noProcess waits until nothing runs on the cable any more.
func (p *pair) noProcess(t testing.TB) {
	t.Helper()
	eventually(t, func() bool {
		p.cable.mu.Lock()
		defer p.cable.mu.Unlock()
		return len(p.cable.conns) == 0
	}, func() string { return "a command still runs on the other machine" })
}

// The link ends by each signal, and killed; the seats are open then at once, or after a while,
// and both ends' processes have ended.
func TestLinkEnds(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGKILL} {
		p.linked(t)
		_ = p.link.Process.Signal(s)
		_ = p.link.Wait()
		p.noProcess(t)
		for _, d := range []*running{p.a, p.b} {
			d.until(t, "open seats", func(v game.View) bool {
				return v.Seats == [2]game.Seat{} || s == syscall.SIGKILL && (v.Seats[0] == game.Away || v.Seats[1] == game.Away)
			})
		}
	}
	// In a terminal.
	if _, err := p.a.client.End(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := p.b.client.End(t.Context()); err != nil {
		t.Error(err)
	}
	s := open(t, p.cable.env(), "c4hat", "link", "--socket", p.a.socket, "pi@b", "--as", "yellow")
	s.shows(t, "red is played by another client", "linked with pi@b")
	p.a.until(t, "red's seat", func(v game.View) bool { return v.Seats == [2]game.Seat{game.Taken, game.Open} })
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

// What cannot be linked is named in one line, and nothing is changed.
func TestLinkRefused(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	refused := func(what string, env []string, says string, args ...string) {
		t.Helper()
		a, b := p.a.latest(), p.b.latest()
		l := start(t, append(p.cable.env(), env...), append([]string{"c4hat", "link", "--socket", p.a.socket, "pi@b"}, args...)...)
		err := l.Wait()
		if text := l.errs.String(); l.ProcessState.ExitCode() != 1 || !strings.Contains(text, says) || strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "c4hat: ") {
			t.Errorf("%s: %v, said %q, want %q", what, err, text, says)
		}
		if a2, b2 := p.a.latest(), p.b.latest(); a2.Record != a.Record || b2.Record != b.Record || a2.Seats != a.Seats || b2.Seats != b.Seats {
			t.Errorf("%s: something has changed", what)
		}
		p.noProcess(t)
	}
	refused("no ssh there", []string{"CABLE=/nowhere"}, "pi@b: ssh: ssh: connect to host b port 22: Connection refused; ssh pi@b c4hat status must work first")
	refused("no ssh here", []string{"PATH=/nowhere"}, "ssh is not installed here: sudo apt install openssh-client")
	refused("no c4hat there", []string{"SSH_RUNS=nowhere-c4hat"}, "pi@b: c4hat is not installed there")
	refused("an old c4hat there", []string{"SSH_RUNS=c4hat links"}, "pi@b: the c4hat there cannot link: install the same version on both machines")
	refused("noise", []string{"SSH_RUNS=yes noise"}, "pi@b: ssh: ")
	refused("no service there", []string{"SSH_RUNS=c4hat link --answer --socket /nowhere/s"}, "pi@b: the c4hat service is not running: nothing listens on /nowhere/s")
	refused("no service here", nil, "nothing listens on /nowhere/s", "--socket", "/nowhere/s")

	start := func(d *running, m wire.MatchRequest, moves string) {
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
	start(p.a, wire.MatchRequest{}, "4")
	refused("a match here", nil, "a match is under way here (7x6, two players: red 0, yellow 0): end it, or replace it with --force")
	start(p.b, wire.MatchRequest{}, "3")
	refused("other discs", nil, "disc 1 is in column 4 in one match and in column 3 in the other")
	start(p.b, wire.MatchRequest{Board: "8x8"}, "")
	refused("another board", nil, "7x6 and 8x8 are different games")
	start(p.b, wire.MatchRequest{Points: 3}, "")
	refused("other points", nil, "first to 3 points")
	start(p.b, wire.MatchRequest{First: "yellow"}, "")
	refused("other starters", nil, "begin differently")
	start(p.b, wire.MatchRequest{Computer: "yellow"}, "")
	refused("the computer", nil, "the match on pi@b is against the computer")
	end(p.a)
	start(p.b, wire.MatchRequest{}, "34")
	refused("a match there", nil, "a match is under way on pi@b")
	start(p.a, wire.MatchRequest{}, "3")
	p.linked(t, "--first", "loser") // continues, whatever new matches are like
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

// A match that was changed by hand while the line was broken is named and left alone.
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
			p := newPair(t)
			p.linked(t)
			p.a.press(t, game.Column{Col: 3})
			p.both(t, "4")
			p.b.press(t, game.Column{Col: 3})
			p.both(t, "44")
			to := p.cable.to
			p.cable.mu.Lock()
			p.cable.to = []string{"/bin/false"}
			p.cable.mu.Unlock()
			p.cable.cut()
			// Somebody ends and replaces nothing, but takes the seat's place: a restart opens it.
			p.b.kill(t)
			p.b.start(t)
			p.b.aims(t, "44")
			tt.change(t, p.b)
			time.Sleep(700 * time.Millisecond)
			a, b := p.a.latest().Record, p.b.latest().Record
			p.cable.mu.Lock()
			p.cable.to = to
			p.cable.mu.Unlock()
			if err := p.link.Wait(); err == nil || p.link.ProcessState.ExitCode() != 1 || !strings.Contains(p.link.errs.String(), tt.says) {
				t.Errorf("%v, said %s", err, p.link.errs.String())
			}
			if p.a.latest().Record != a || p.b.latest().Record != b {
				t.Errorf("a match was changed: %s and %s", p.a.view.Game.String(), p.b.view.Game.String())
			}
		})
	}
}

// person drops a disc by hand if it is their turn, and returns it.
func (d *running) person(t testing.TB, rng *rand.Rand, player board.Disc) (col int, ok bool) {
	t.Helper()
	v := d.latest()
	position := v.Game.Position()
	if v.Phase != game.Aim || position.Turn() != player || !v.UnderWay {
		return 0, false
	}
	legal := slices.Collect(position.LegalMoves())
	col = legal[rng.IntN(len(legal))]
	number := v.Discs() + 1
	s, err := d.client.Press(t.Context(), game.Disc{Col: col, Number: number})
	if err != nil {
		return 0, false
	}
	after, err := s.View()
	return col, err == nil && after.Discs() == number
}

// The line is cut, held, or a service or the link is killed, at random moments: the match goes
// on with the same discs on both, none twice and none lost, and no seat stays locked.
func TestLinkCuts(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.linked(t, "--points", "1")
	rng := rand.New(rand.NewPCG(25, uint64(*cuts)))
	did := map[string]int{}
	var dropped []string // the discs of the match, in order
	matches, discs := 0, 0
	check := func() {
		t.Helper()
		p.taken(t)
		var a, b game.View
		eventually(t, func() bool {
			a, b = p.a.latest(), p.b.latest()
			return slices.Equal(a.Rounds(), b.Rounds()) && a.Phase == b.Phase && a.Phase == game.Aim
		}, func() string {
			return fmt.Sprintf("here %v %v, there %v %v\n%s", a.Phase, a.Rounds(), b.Phase, b.Rounds(), p.link.errs.String())
		})
		if got, want := strings.Join(a.Rounds(), ""), strings.Join(dropped, ""); got != want {
			t.Fatalf("the match is %s, dropped were %s", got, want)
		}
	}
	play := func(n int) {
		t.Helper()
		for range n {
			before := len(dropped)
			eventually(t, func() bool {
				for i, d := range []*running{p.a, p.b} {
					player := board.Red + board.Disc(i)
					if v := d.latest(); v.Discs() != len(dropped) || v.Phase != game.Aim { // first what is on the way
						continue
					}
					if col, ok := d.person(t, rng, player); ok {
						dropped = append(dropped, fmt.Sprint(col+1))
						discs++
						return true
					}
				}
				return p.a.latest().Match.Winner() != board.Empty
			}, func() string {
				return fmt.Sprintf("nobody can drop disc %d: here %v %v %v, there %v %v %v\n%s", before+1,
					p.a.view.Phase, p.a.view.Rounds(), p.a.view.Seats, p.b.view.Phase, p.b.view.Rounds(), p.b.view.Seats, p.link.errs.String())
			})
			if p.a.latest().Match.Winner() != board.Empty {
				for _, d := range []*running{p.a, p.b} {
					d.until(t, "the menu", func(v game.View) bool { return v.Phase == game.Menu || v.Phase == game.Attract })
				}
				p.b.until(t, "the match", func(v game.View) bool { return strings.Join(v.Rounds(), "") == strings.Join(dropped, "") })
				matches++
				dropped = nil
				if _, err := p.a.client.Start(t.Context(), wire.MatchRequest{Points: 1, First: "alternate"}); err != nil {
					t.Fatal(err)
				}
				p.taken(t)
			}
		}
	}
	// A service is killed. The disc in mid-air may be lost: then somebody drops another one.
	kill := func(d *running) {
		d.kill(t)
		time.Sleep(time.Duration(rng.IntN(800)) * time.Millisecond)
		d.start(t)
		p.taken(t)
		eventually(t, func() bool { return slices.Equal(p.a.latest().Rounds(), p.b.latest().Rounds()) },
			func() string { return fmt.Sprintf("%v and %v", p.a.view.Rounds(), p.b.view.Rounds()) })
		if n := p.a.latest().Discs(); n == len(dropped)-1 {
			did["a disc was lost in the air"]++
			dropped = dropped[:n]
		}
	}
	play(3)
	for range *cuts {
		play(rng.IntN(3))
		time.Sleep(time.Duration(rng.IntN(300)) * time.Millisecond)
		switch n := rng.IntN(20); {
		case n < 8:
			did["cut"]++
			p.cable.cut()
		case n < 12:
			did["held"]++
			p.cable.hold()
			time.Sleep(time.Duration(rng.IntN(1500)) * time.Millisecond)
			p.cable.release()
		case n < 14: // what was sent arrives when the next line is open
			did["held, cut and delivered late"]++
			p.cable.hold()
			time.Sleep(time.Duration(rng.IntN(300)) * time.Millisecond)
			p.cable.cut()
			time.Sleep(time.Duration(rng.IntN(1000)) * time.Millisecond)
			p.cable.release()
		case n == 14 && *cuts > 50:
			did["held for longer than the line is trusted"]++
			p.cable.hold()
			time.Sleep(11 * time.Second)
			p.cable.release()
		case n < 16:
			did["the service there killed"]++
			kill(p.b)
		case n < 18:
			did["the service here killed"]++
			kill(p.a)
		default:
			did["the link killed"]++
			_ = p.link.Process.Kill()
			_ = p.link.Wait()
			p.link = p.run(t)
		}
		if rng.IntN(2) == 0 { // during the break
			play(1)
		}
		play(1)
	}
	play(2)
	check()
	lines, bytes := p.cable.count()
	t.Logf("%d cuts: %v; %d discs, %d matches, %d lines, %d bytes", *cuts, did, discs, matches, lines, bytes)
	_ = p.link.Process.Signal(syscall.SIGTERM)
	_ = p.link.Wait()
	p.a.stop(t)
	p.b.stop(t)
	if a, b := finished(t, p.a), finished(t, p.b); !slices.Equal(a, b) || len(a) < matches {
		t.Errorf("%d matches, the histories are %q and %q", matches, a, b)
	}
	p.noBlame(t)
}

// finished are the rounds of the matches in a service's history that were won.
func finished(t testing.TB, d *running) (all []string) {
	t.Helper()
	for e, err := range store.History(d.state) {
		if err != nil {
			t.Error(err)
		}
		if e.Count().Match.Winner() != board.Empty {
			all = append(all, strings.Join(e.Rounds(), "/"))
		}
	}
	return all
}
