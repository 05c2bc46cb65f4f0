package link

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/socket"
)

// machine is a service whose joystick is press, and the disk that outlives it. In a bubble of
// testing/synctest its minutes pass at once.
type machine struct {
	config  game.Config
	version string
	runs    int

	mu sync.Mutex
	*process
	slow  time.Duration // how long a save takes
	saved match.Record  // to resume, if its ID is not empty
	past  []match.Finished
}

// process is a run of the service.
type process struct {
	m      *machine
	game   *session.Local
	inside *socket.Inside
	answer chan game.Saved
	last   int // ID of the last save
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	log    strings.Builder
}

func newMachine(t testing.TB) *machine {
	t.Helper()
	m := &machine{
		config:  game.Config{Setup: match.Setup{Rules: board.Standard, Points: 2}, Idle: 10 * time.Minute, Forever: true, Menu: true, Keeps: true},
		version: "1.2.3",
	}
	m.start(t)
	return m
}

func (m *machine) start(t testing.TB) {
	t.Helper()
	m.runs++
	p := &process{m: m, inside: socket.NewInside(), answer: make(chan game.Saved, 1)}
	c := m.config
	c.Run, c.Seed = fmt.Sprint("run", m.runs), uint64(m.runs)
	state, err := game.Resume(c, m.saved, time.Now())
	must(t, err)
	log := slog.New(slog.NewTextHandler(&p.log, nil))
	p.game = session.New(state, session.Options{Keeper: p})
	server := socket.New(socket.Options{
		As: p.game.As, Matches: m.matches, Setup: c.Setup, Log: log,
		Status: func() socket.Machine { return socket.Machine{Version: m.version} },
	})
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.wg.Go(func() { _, _ = p.game.Run(p.ctx) })
	p.wg.Go(func() { _ = server.Serve(p.ctx, p.inside) })
	m.mu.Lock()
	defer m.mu.Unlock()
	m.process = p
}

// kill ends the service. What it was saving is lost.
func (m *machine) kill() {
	m.cancel()
	m.wg.Wait()
}

func (m *machine) matches(last int) iter.Seq2[match.Finished, error] {
	return func(yield func(match.Finished, error) bool) {
		m.mu.Lock()
		past := slices.Clone(m.past)
		m.mu.Unlock()
		if last > 0 {
			past = past[max(0, len(past)-last):]
		}
		for _, f := range past {
			if !yield(f, nil) {
				return
			}
		}
	}
}

// Save, Saved and Finish make a process the keeper of its matches.
func (p *process) Save(s game.Save) {
	p.wg.Go(func() {
		if p.m.slow > 0 {
			select {
			case <-time.After(p.m.slow):
			case <-p.ctx.Done():
				return
			}
		}
		p.m.mu.Lock()
		defer p.m.mu.Unlock()
		if n := len(p.m.past); s.ID < p.last || n > 0 && p.m.past[n-1].ID == s.Record.ID {
			return
		}
		p.m.saved, p.last = s.Record, s.ID
		select {
		case <-p.answer:
		default:
		}
		p.answer <- game.Saved{ID: s.ID}
	})
}

func (p *process) Saved() <-chan game.Saved { return p.answer }

func (p *process) Finish(r match.Record, abandoned bool) {
	p.m.mu.Lock()
	defer p.m.mu.Unlock()
	if r.Begun() {
		p.m.past = append(p.m.past, match.Finish(r, abandoned, time.Now()))
	}
	p.m.saved = match.Record{}
}

// press does what the joystick, or somebody in the menu, does.
func (m *machine) press(t testing.TB, ev game.Event) game.View {
	t.Helper()
	v, err := m.game.Do(t.Context(), ev, game.Source{})
	if refusal := (*game.Refusal)(nil); err != nil && !errors.As(err, &refusal) {
		t.Fatal(err)
	}
	time.Sleep(600 * time.Millisecond) // the next press is no second tap
	return v
}

func (m *machine) key(t testing.TB, keys ...game.Key) {
	t.Helper()
	for _, k := range keys {
		m.press(t, game.Press{Key: k})
	}
}

func (m *machine) drop(t testing.TB, col int) { t.Helper(); m.press(t, game.Column{Col: col}) }

func (m *machine) latest(t testing.TB) game.View {
	t.Helper()
	v, err := m.game.Do(t.Context(), game.Tick{}, game.Source{})
	must(t, err)
	return v
}

// client returns a client of whichever process runs. It is dead once alive ends.
func (m *machine) client(alive context.Context) *socket.Client {
	return socket.Connect(func(ctx context.Context) (net.Conn, error) {
		m.mu.Lock()
		p := m.process
		m.mu.Unlock()
		if alive.Err() != nil || p.ctx.Err() != nil {
			return nil, errors.New("connection refused")
		}
		conn, err := p.inside.Dial(ctx)
		if err == nil {
			context.AfterFunc(alive, func() { _ = conn.Close() })
		}
		return conn, err
	})
}

// pair is two machines, and a link on a's, whose joystick plays red.
type pair struct {
	t    testing.TB
	a, b *machine
	wire
	link *Link
	said []string
	kill context.CancelFunc // kills the link
	stop context.CancelCauseFunc
}

func newPair(t testing.TB) *pair {
	t.Helper()
	p := &pair{t: t, a: newMachine(t), b: newMachine(t)}
	p.free = sync.NewCond(&p.wire.mu)
	return p
}

var errQuit = errors.New("quit")

// begin starts a link, and returns the error that prevents it.
func (p *pair) begin(m game.Start) error {
	p.t.Helper()
	var alive, ctx context.Context
	alive, p.kill = context.WithCancel(context.Background())
	ctx, p.stop = context.WithCancelCause(context.Background())
	p.said = nil
	l := &Link{
		Here: p.a.client(alive), Host: "b", Play: board.Red, Match: m,
		Tell: func(text string) { p.wire.mu.Lock(); p.said = append(p.said, text); p.wire.mu.Unlock() },
		open: func(ctx context.Context, _ string, _ bool) (*line, error) {
			return p.open(ctx, alive, p.b.client(context.Background()))
		},
	}
	err := l.Start(ctx)
	if err == nil {
		p.link = l
	} else {
		p.kill()
	}
	return err
}

func setup(change func(*game.Start)) game.Start {
	m := game.Start{Setup: match.Setup{Rules: board.Standard, Points: 2}}
	if change != nil {
		change(&m)
	}
	return m
}

// linked starts a link, and waits until both seats are taken.
func (p *pair) linked(change func(*game.Start)) {
	p.t.Helper()
	if err := p.begin(setup(change)); err != nil {
		p.t.Fatalf("%v\n%s", err, p.state())
	}
	p.taken()
}

// quit ends the link as a signal does.
func (p *pair) quit() {
	p.t.Helper()
	p.stop(errQuit)
	if err := p.link.Wait(); !errors.Is(err, errQuit) {
		p.t.Error(err)
	}
}

// end ends everything, so that a bubble can end.
func (p *pair) end() {
	p.t.Helper()
	p.kill()
	p.stop(errQuit)
	if p.link != nil {
		_ = p.link.Wait()
	}
	p.release()
	p.cut()
	for _, m := range []*machine{p.a, p.b} {
		m.kill()
		if log := m.log.String(); strings.Contains(log, "level=ERROR") {
			p.t.Error(log)
		}
	}
}

// until waits until something is true.
func (p *pair) until(what string, ok func() bool) {
	p.t.Helper()
	for range 3 * 60 * 20 {
		if ok() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	p.t.Fatalf("%s does not come: %s", what, p.state())
}

func (p *pair) shows(m *machine, what string, ok func(game.View) bool) {
	p.t.Helper()
	p.until(what, func() bool { return ok(m.latest(p.t)) })
}

func (p *pair) state() string {
	v, w := p.a.latest(p.t), p.b.latest(p.t)
	p.wire.mu.Lock()
	defer p.wire.mu.Unlock()
	return fmt.Sprintf("here %v %v %v, there %v %v %v\n%s\n%v", v.Phase, v.Rounds(), v.Seats, w.Phase, w.Rounds(), w.Seats, strings.Join(p.said, "\n"), context.Cause(p.link.ctx))
}

func (p *pair) taken() {
	p.t.Helper()
	p.until("both seats", func() bool {
		return p.a.latest(p.t).Seats == [2]game.Seat{{State: game.Open}, {State: game.Taken}} && p.b.latest(p.t).Seats == [2]game.Seat{{State: game.Taken}, {State: game.Open}}
	})
}

// agree waits until both machines wait for a disc in the same match, and returns the round's moves.
func (p *pair) agree() (moves string) {
	p.t.Helper()
	p.until("the same match", func() bool {
		v, w := p.a.latest(p.t), p.b.latest(p.t)
		moves = v.Game.String()
		return v.Phase == game.Aim && w.Phase == game.Aim && slices.Equal(v.Rounds(), w.Rounds())
	})
	return moves
}

// both waits until both machines have these moves and wait for the next one.
func (p *pair) both(moves string) {
	p.t.Helper()
	p.until("both after "+moves, func() bool { return p.agree() == moves })
}

// wire is the way between two machines. It can be held, cut and closed.
type wire struct {
	mu     sync.Mutex
	free   *sync.Cond
	held   bool
	closed bool
	ends   []func()
	lines  int
}

func (w *wire) hold() { w.mu.Lock(); w.held = true; w.mu.Unlock() }

func (w *wire) release() { w.mu.Lock(); w.held = false; w.free.Broadcast(); w.mu.Unlock() }

func (w *wire) refuse(refused bool) { w.mu.Lock(); w.closed = refused; w.mu.Unlock() }

// cut ends every line. What was sent before arrives.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, end := range w.ends {
		end()
	}
	w.ends = nil
}

// copy passes on what is read, unless the wire is held.
func (w *wire) copy(to io.WriteCloser, from io.Reader) {
	packets := make(chan []byte, 1<<12)
	go func() {
		defer close(packets)
		for {
			buf := make([]byte, 16<<10)
			n, err := from.Read(buf)
			packets <- buf[:n]
			if err != nil {
				return
			}
		}
	}()
	go func() {
		defer to.Close()
		for p := range packets {
			w.mu.Lock()
			for w.held {
				w.free.Wait()
			}
			w.mu.Unlock()
			_, _ = to.Write(p) // after an error the rest is lost
		}
	}()
}

// open opens a line to a service, as ssh does. It ends with alive.
func (w *wire) open(ctx, alive context.Context, there *socket.Client) (*line, error) {
	w.mu.Lock()
	closed := w.closed
	w.lines++
	w.mu.Unlock()
	if closed {
		return nil, errors.New("ssh: connect to host b port 22: Connection refused")
	}
	out, sends := io.Pipe()    // what the link sends
	in, arrives := io.Pipe()   // as it arrives there
	answers, says := io.Pipe() // what the answer is there
	back, comes := io.Pipe()   // as it arrives here
	life, end := context.WithCancel(alive)
	lost := make(chan struct{})
	w.copy(arrives, out)
	w.copy(comes, answers)
	go func() {
		defer close(lost)
		_ = Answer(context.Background(), in, says, there)
		_, _ = in.Close(), says.Close()
		there.Close()
	}()
	context.AfterFunc(life, func() { _, _ = sends.Close(), back.Close() })
	w.mu.Lock()
	w.ends = append(w.ends, end)
	w.mu.Unlock()
	from, greeted := bufio.NewReader(back), make(chan error, 1)
	go func() { greeted <- skipNoise(from) }()
	var err error
	select {
	case err = <-greeted:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		end()
		return nil, err
	}
	return &line{client: socket.Over("b", transport(conn(life, end, from, sends))), lost: lost, end: end}, nil
}

var must = try.Must
