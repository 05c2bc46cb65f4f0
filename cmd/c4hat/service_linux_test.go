package main

import (
	"context"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"image/color"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
	"github.com/c4hat/c4hat/internal/dev/socketdir"
	"github.com/c4hat/c4hat/internal/front/hatpanel"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/spf13/pflag"
	"golang.org/x/sys/unix"
)

// patience is how long a test waits before it fails: the machine may be slow, or busy with other
// tests.
const patience = time.Minute

// eventually waits until ok returns true. If it does not do so in time, the test fails with the
// message that why returns.
func eventually(t testing.TB, ok func() bool, why func() string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	// Poll rarely enough to leave time for the programs when many tests run.
	for pause := time.Millisecond; ; pause = min(pause*5/4+1, 20*time.Millisecond) {
		late := time.Now().After(deadline) // taken before ok is called: if this process was paused, ok gets another chance
		if ok() {
			return
		}
		if late {
			t.Fatal(why())
		}
		time.Sleep(pause)
	}
}

// testEnvironment returns the environment without variables that change the output of programs or
// connect them to systemd.
func testEnvironment(more ...string) []string {
	if signal.Ignored(syscall.SIGHUP) { // the tests run under nohup(1): who catches the signal lets programs receive it
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
	env := os.Environ()
	for _, name := range []string{"NO_COLOR", "COLORTERM", "SSH_CONNECTION", "LANGUAGE", "JOURNAL_STREAM", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"} {
		env = append(env, name+"=")
	}
	return append(env, more...)
}

// program is a command under test, with pipes or in a terminal.
type program struct {
	*exec.Cmd
	out, errs gametest.Log
	in        io.WriteCloser // a pipe or the terminal's master; nil: no input
	at        int            // in a pipe, the end of the output that shows has matched

	slave  *os.File // nil: no terminal
	before *unix.Termios
	stall  atomic.Bool // the terminal accepts no output
}

// start starts a program with a standard input.
func start(t testing.TB, in io.Reader, env []string, args ...string) *program {
	t.Helper()
	p := newProgram(t, env, args...)
	p.Stdin = in
	p.begin(t)
	return p
}

// newProgram returns a program that is not started yet.
func newProgram(t testing.TB, env []string, args ...string) *program {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	if strings.HasPrefix(args[0], "/") {
		exe = args[0]
	}
	p := &program{Cmd: &exec.Cmd{Path: exe, Args: args, Env: append(testEnvironment("XDG_STATE_HOME="+t.TempDir()), env...)}}
	p.Stdout, p.Stderr = &p.out, &p.errs
	return p
}

func (p *program) begin(t testing.TB) {
	t.Helper()
	must(t, p.Start())
	t.Cleanup(func() {
		_ = p.Process.Kill()
		_ = p.Wait() // a running program would write to a folder that is being removed
	})
}

// Wait waits for the program to end. It kills a program that takes longer than patience.
func (p *program) Wait() error {
	timer := time.AfterFunc(patience, func() { _ = p.Process.Kill() })
	defer timer.Stop()
	return p.Cmd.Wait()
}

// says waits for a text on standard error.
func (p *program) says(t testing.TB, what string) {
	t.Helper()
	eventually(t, func() bool { return strings.Contains(p.errs.String(), what) }, func() string {
		return fmt.Sprintf("%q is not on standard error:\n%s", what, p.errs.String())
	})
}

// running is the service on a HAT simulated by files: 128 bytes for the matrix, and a pipe for the joystick.
type running struct {
	fb, stick     string
	pipe          io.Writer
	emulator      *net.UnixConn // the joystick of the Sense HAT emulator, if that is simulated
	state, socket string
	args          []string
	client        *socket.Client
	program       *program
	view          game.View // the last one that was asked for
}

func newRunning(t testing.TB, args ...string) *running {
	t.Helper()
	memory, dir := memoryDir(t), socketdir.New(t)
	d := &running{
		fb: filepath.Join(memory, "fb"), stick: filepath.Join(memory, "stick"),
		state: filepath.Join(dir, "state"), socket: filepath.Join(dir, "s"),
	}
	d.client = socket.Dial(d.socket)
	d.args = append([]string{"c4hat", "daemon", "--fb", d.fb, "--stick", d.stick, "--state", d.state, "--socket", d.socket}, args...)
	screen := strings.Repeat("\xff", 128)
	if slices.Contains(args, "--emulator") { // a gamma table follows the pixels; package emulator tests what happens when it is started again
		screen += "0123456789abcdefghijklmnopqrstuv"
		d.emulator = datagrams(t, d.stick)
	} else {
		must(t, unix.Mkfifo(d.stick, 0o666))
		pipe, err := os.OpenFile(d.stick, os.O_RDWR, 0)
		must(t, err)
		t.Cleanup(func() { pipe.Close() })
		d.pipe = pipe
	}
	must(t, os.WriteFile(d.fb, []byte(screen), 0o666))
	return d
}

// datagrams returns a new socket with a path, which receives datagrams.
func datagrams(t testing.TB, path string) *net.UnixConn {
	t.Helper()
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	must(t, err)
	t.Cleanup(func() { c.Close() })
	return c
}

// receive returns the next datagram, and its sender.
func receive(t testing.TB, c *net.UnixConn) (text string, from *net.UnixAddr) {
	t.Helper()
	var b [1024]byte
	must(t, c.SetReadDeadline(time.Now().Add(patience)))
	n, from, err := c.ReadFromUnix(b[:])
	must(t, err)
	return string(b[:n]), from
}

// datagramsTo writes to a client of a socket.
type datagramsTo struct {
	*net.UnixConn
	to *net.UnixAddr
}

func (d datagramsTo) Write(b []byte) (int, error) { return d.WriteToUnix(b, d.to) }

// launch starts the service.
func (d *running) launch(t testing.TB, env ...string) {
	t.Helper()
	d.program = start(t, nil, env, d.args...)
	if d.emulator != nil {
		text, from := receive(t, d.emulator)
		if text != "hello" {
			t.Fatalf("received %q", text)
		}
		d.pipe = datagramsTo{d.emulator, from}
	}
}

// start starts the service and waits until it answers.
func (d *running) start(t testing.TB) {
	t.Helper()
	d.launch(t)
	eventually(t, func() bool {
		_, err := d.client.Status(t.Context())
		return err == nil
	}, d.program.errs.String)
	d.latest()
}

// The codes of the joystick's keys on Raspberry Pi OS, from Linux's input-event-codes.h.
const (
	keyUp    = 103
	keyLeft  = 105
	keyRight = 106
	keyDown  = 108
	keyEnter = 28
)

// send writes a key event and the SYN that ends its packet: each a struct input_event with this machine's
// word size.
func (d *running) send(t testing.TB, code uint16, value uint32) {
	t.Helper()
	for _, event := range [][2]uint16{{1, code}, {0, 0}} {
		record := make([]byte, 2*(4+4*(^uint(0)>>63))) // struct timeval
		record = binary.NativeEndian.AppendUint16(record, event[0])
		record = binary.NativeEndian.AppendUint16(record, event[1])
		record = binary.NativeEndian.AppendUint32(record, value*uint32(event[0]))
		_, err := d.pipe.Write(record)
		must(t, err)
	}
}

func (d *running) tap(t testing.TB, codes ...uint16) {
	t.Helper()
	for _, code := range codes {
		d.send(t, code, 1)
		d.send(t, code, 0)
	}
}

// leds returns what the matrix shows, as letters.
func (d *running) leds(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile(d.fb)
	must(t, err)
	var f hatpanel.Frame
	for i := range f { // RGB565; the emulator's gamma table follows
		p := binary.NativeEndian.Uint16(b[2*i:])
		f[i] = color.RGBA{uint8(p >> 11 << 3), uint8(p >> 5 << 2), uint8(p << 3), 255}
	}
	return standin.Lit(f).String()
}

var dark = strings.Repeat("........\n", 8)

// lit reports whether LEDs show a picture; a new HAT is white.
func lit(leds string) bool { return leds != dark && strings.Trim(leds, "W\n") != "" }

// latest returns what the service shows or, if it does not answer, what it showed last.
func (d *running) latest() game.View {
	if v, err := d.client.Do(context.Background(), game.Tick{}); err == nil {
		d.view = v
	}
	return d.view
}

// until waits for a view.
func (d *running) until(t testing.TB, what string, ok func(game.View) bool) {
	t.Helper()
	eventually(t, func() bool { return ok(d.latest()) }, func() string {
		return fmt.Sprintf("%s does not come: it is %v after %q", what, d.view.Phase, d.view.Game.String())
	})
}

// secondTap is how long after a disc has landed the next drop of the same person does nothing.
const secondTap = 250 * time.Millisecond

// aims waits until the moves are played and saved, and the next disc may be dropped.
func (d *running) aims(t testing.TB, moves string) {
	t.Helper()
	d.until(t, "the turn after "+moves, func(v game.View) bool {
		return v.Phase == game.Aim && !v.Unsaved && v.Game.String() == moves
	})
	time.Sleep(secondTap)
}

// press sends an event through the socket.
func (d *running) press(t testing.TB, ev game.Event) {
	t.Helper()
	_, err := d.client.Do(t.Context(), ev)
	must(t, err)
}

// stop ends the service with SIGTERM.
func (d *running) stop(t testing.TB) {
	t.Helper()
	d.latest()
	_ = d.program.Process.Signal(syscall.SIGTERM)
	if err := d.program.Wait(); err != nil {
		t.Errorf("%v\n%s", err, d.program.errs.String())
	}
}

// kill kills the service.
func (d *running) kill(t testing.TB) {
	t.Helper()
	must(t, d.program.Process.Kill())
	_ = d.program.Wait()
}

// The service notifies systemd when it is ready and when it stops. While it runs, it sends more than one
// keep-alive per watchdog interval, so that one may be late.
func TestNotify(t *testing.T) {
	t.Parallel()
	d, path := newRunning(t), filepath.Join(socketdir.New(t), "notify")
	socket := datagrams(t, path)
	d.launch(t, "NOTIFY_SOCKET="+path, "WATCHDOG_USEC=1000000")
	hear := func(want string) {
		t.Helper()
		for got := ""; got != want; {
			got, _ = receive(t, socket)
		}
	}
	hear("READY=1")
	// On a busy machine some keep-alives are late, so wait for four in a row that arrive as fast as
	// on an idle machine.
	var alive []time.Time
	for n := 0; n < 4 || alive[n-1].Sub(alive[n-4]) > 5*time.Second/2; n = len(alive) {
		hear("WATCHDOG=1")
		alive = append(alive, time.Now())
	}
	_ = d.program.Process.Signal(syscall.SIGTERM)
	hear("STOPPING=1")
	if err := d.program.Wait(); err != nil {
		t.Errorf("%v\n%s", err, d.program.errs.String())
	}
}

var kills = flag.Int("kills", 12, "how often TestKilled kills the service")

// The service is killed at random moments after the first disc. Each time it resumes the match with every disc that
// had landed and was saved. Every finished match is in the history exactly once.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for random moments of matches")
	}
	t.Parallel()
	seed := rand.Uint64()
	t.Log("seed", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	d := newRunning(t)
	finished := map[string]bool{}
	look := func() game.View {
		v := d.latest()
		finished[v.ID] = finished[v.ID] || v.Match.Winner() != board.Empty
		return v
	}
	d.start(t)
	killed, lost := 0, 0
	for killed < *kills {
		for range 1 + rng.IntN(5) {
			d.play(t, rng)
			look()
		}
		time.Sleep(time.Duration(rng.IntN(600)) * time.Millisecond)
		before := look()
		was := allMoves(before)
		if !before.UnderWay || was == "" {
			continue
		}
		d.kill(t)
		d.start(t)
		after := look()
		safe, is := was, allMoves(after)
		switch {
		case before.Unsaved: // the disk is slow
			safe = ""
		case before.Phase == game.Fall:
			safe = strings.TrimSuffix(was[:len(was)-1], "/")
		}
		switch killed++; {
		case after.ID == before.ID && strings.HasPrefix(is, safe) && len(is) <= len(was)+2: // a disc may have followed
			lost += max(0, len(was)-len(is))
		case after.ID != before.ID && (safe == "" || d.entries(before.ID) == 1): // it has not begun, or is over
		default:
			t.Fatalf("killed in %v after %s of %s, resumed in %v after %s of %s", before.Phase, was, before.ID, after.Phase, is, after.ID)
		}
	}
	t.Logf("killed %d times; lost %d discs", killed, lost)
	d.until(t, "the end of the cheer", func(v game.View) bool { return v.Phase != game.Cheer })
	d.stop(t) // not a kill: the last match may not be on the disk yet
	for id, over := range finished {
		if n := d.entries(id); n > 1 || over && n == 0 {
			t.Errorf("match %s is in the history %d times", id, n)
		}
	}
}

// allMoves returns the moves of all rounds of a match, including the current one.
func allMoves(v game.View) string {
	rounds := v.Match.Games()
	position := v.Game.Position()
	if position.Outcome() == board.Playing || v.Phase == game.Fall {
		rounds = append(rounds, v.Game.String())
	}
	return strings.TrimSuffix(strings.Join(rounds, "/"), "/")
}

// play does something that a person could do: it starts a match, or moves the cursor and drops a disc, which skips
// what follows a round.
func (d *running) play(t *testing.T, rng *rand.Rand) {
	t.Helper()
	if v := d.latest(); v.UnderWay {
		for range rng.IntN(4) {
			d.tap(t, []uint16{keyLeft, keyRight}[rng.IntN(2)])
		}
		d.tap(t, keyEnter)
	} else {
		sizes := []board.Rules{{Columns: 5, Rows: 4, Connect: 2}, {Columns: 7, Rows: 6, Connect: 3}, {Columns: 8, Rows: 8, Connect: 3}} // short matches
		setup := game.Setup{Rules: sizes[rng.IntN(3)], Points: 1 + rng.IntN(2), First: board.FirstLoser}
		if rng.IntN(2) == 0 {
			setup.Computer, setup.Level = board.Red, match.Level(1+rng.IntN(2))
		}
		d.press(t, game.Start{Setup: setup})
		d.until(t, "the match", func(now game.View) bool { return now.ID != v.ID })
	}
	time.Sleep(time.Duration(rng.IntN(400)) * time.Millisecond)
}

// entries counts the entries of a match in the history.
func (d *running) entries(id string) (n int) {
	for e, err := range store.History(d.state) {
		if err == nil && e.ID == id {
			n++
		}
	}
	return n
}

// While the disk hangs at the start, the LEDs show that the service is starting, and a signal still
// ends the service.
func TestStarting(t *testing.T) {
	openSaver = func(ctx context.Context, _ string, _ *slog.Logger) (*store.Saver, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	t.Cleanup(func() { openSaver = store.OpenSaver })
	d, s, flags := newRunning(t), settings.New(), pflag.NewFlagSet("", pflag.ContinueOnError)
	s.Add(flags, settings.Daemon)
	must(t, flags.Parse(d.args[2:]))
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- (&service{log: slog.New(slog.DiscardHandler)}).onHAT(ctx, s, flags) }()
	hourglass := game.Starting()
	want := standin.Lit((*hatpanel.Colours)(nil).Frame(&hourglass)).String()
	eventually(t, func() bool { return d.leds(t) == want }, func() string { return d.leds(t) })
	signal := errors.New("a signal")
	cancel(signal)
	if err := <-ended; !errors.Is(err, signal) || d.leds(t) != dark {
		t.Errorf("%v; the LEDs show\n%s", err, d.leds(t))
	}
}
