package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/hattest"
	"github.com/c4hat/c4hat/internal/dev/pipes"
	"github.com/c4hat/c4hat/internal/front/hatpanel"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/store"
)

var (
	soakMatches = flag.Int("matches", 60, "matches that are played in TestSoak")
	soakSeed    = flag.Uint64("soak-seed", rand.Uint64(), "repeats what TestSoak did, as far as goroutines let it")
)

// The service leaks nothing: after years of matches it has the same number of goroutines and open
// files as after the first matches, and uses about as much memory. Every match is in the history once.
//
// The devices and the socket are in memory, so that the test runs in simulated time; everything else
// is real. People press keys, the computer plays, clients connect and disconnect, and devices fail
// and are unplugged.
func TestSoak(t *testing.T) {
	dir := memoryDir(t)
	t.Logf("seed %d", *soakSeed)
	matches := *soakMatches
	if testing.Short() {
		matches = min(matches, 20)
	}
	synctest.Test(t, func(t *testing.T) {
		s := soak{t: t, hat: hattest.New(), door: pipes.New(), rng: rand.New(rand.NewPCG(*soakSeed, 0))}
		s.browser.Transport = &http.Transport{
			DialContext:       s.door.Dial,
			DisableKeepAlives: true,
		}
		stop := s.daemon(dir)
		mark := max(matches/10, 1)
		var first figures
		for done := mark; done <= matches && !t.Failed(); done += mark {
			for s.played() < done {
				s.match()
			}
			s.calm()
			now := measure(t)
			t.Logf("%6d matches, %.1f days: %+v", s.played(), time.Since(began).Hours()/24, now)
			if done == mark { // the first matches fill pools and caches
				first = now
			}
			now.check(t, first, uint64(done-mark))
		}
		stop()
		seen := map[string]bool{}
		for e, err := range store.History(dir) {
			must(t, err)
			if seen[e.ID] {
				t.Errorf("%s is in the history twice", e.ID)
			}
			seen[e.ID] = true
		}
		if len(seen) != s.over {
			t.Errorf("%d matches in the history, %d were played", len(seen), s.over)
		}
	})
}

// began is when a bubble of testing/synctest starts.
var began = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// soak is the service, with devices and a socket in memory, and everybody who uses it.
type soak struct {
	t        *testing.T
	rng      *rand.Rand
	hat      *hattest.HAT
	door     *pipes.Listener
	browser  http.Client
	visitors sync.WaitGroup

	mu   sync.Mutex
	view game.View // the last view
	over int       // finished matches
}

// Show and Next make soak a panel that only looks.
func (s *soak) Show(v game.View) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view = v
	return nil
}

func (s *soak) Next(ctx context.Context) (game.Event, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// daemon starts the service as package daemon does.
func (s *soak) daemon(dir string) (stop func()) {
	log := slog.New(slog.DiscardHandler)
	c := game.Config{
		Setup: game.Setup{Rules: board.Standard, Points: 1, First: board.FirstAlternate},
		Idle:  10 * time.Minute, Attract: true, Forever: true, Seed: *soakSeed,
	}
	k, err := store.OpenSaver(s.t.Context(), dir, log)
	must(s.t, err)
	state, err := game.Resume(k.Config(c), k.Left, time.Now())
	must(s.t, err)
	panel := hatpanel.New(hatpanel.Devices{Matrix: s.hat.OpenMatrix, Joystick: s.hat.OpenJoystick}, &hat.Opts{}, hatpanel.Look{}, log)
	l := session.New(state, session.Options{Computer: newComputer(), Keeper: counting{k, s}, Every: 10 * time.Second, Alive: func() {}})
	server := socket.New(socket.Options{
		Rate: rate.Inf, As: l.As, Matches: k.Matches, Setup: c.Setup, Log: log,
		Status: func() socket.Machine { return socket.Machine{} },
	})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := server.Serve(ctx, s.door); err != nil {
			s.t.Error(err)
		}
	})
	running.Go(func() {
		if _, err := l.Run(ctx, panel, s); err != ctx.Err() {
			s.t.Error(err)
		}
	})
	synctest.Wait()
	return func() {
		cancel()
		running.Wait()
		panel.Close()
		if !k.Close() {
			s.t.Error("the saver did not save everything")
		}
	}
}

// counting counts the matches that are saved.
type counting struct {
	*store.Saver
	*soak
}

func (c counting) Finish(r game.Record, abandoned bool) {
	if r.Begun() {
		c.mu.Lock()
		c.over++
		c.mu.Unlock()
	}
	c.Saver.Finish(r, abandoned)
}

// now returns the last view.
func (s *soak) now() game.View {
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.view
}

// played returns the number of finished matches.
func (s *soak) played() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.over
}

// match plays one match to its end, while the HAT fails and a client visits.
func (s *soak) match() {
	s.hat.ForgetFrames()
	some := time.Duration(s.rng.IntN(5000)) * time.Millisecond
	later := func(f func()) { s.visitors.Go(func() { time.Sleep(some); f() }) }
	switch s.rng.IntN(10) {
	case 0:
		s.hat.FailWrites(1+s.rng.IntN(5), []error{syscall.EINTR, syscall.ENOSPC, syscall.EIO}[s.rng.IntN(3)])
	case 1:
		s.hat.ShortWrites(1 + s.rng.IntN(3))
	case 2:
		s.hat.FailReads(1+s.rng.IntN(3), syscall.EINTR)
	case 3:
		s.hat.Reseat()
	case 4:
		s.hat.Press(hat.Left)
		s.hat.Overflow()
	case 5:
		s.hat.UnplugMatrix()
		later(s.hat.PlugMatrix)
	case 6:
		s.hat.UnplugJoystick()
		later(s.hat.PlugJoystick)
	case 7:
		later(s.hat.BlockWrites())
	}
	s.visit()
	for before := s.played(); s.played() == before; {
		s.turn()
		time.Sleep(time.Duration(250+s.rng.IntN(250)) * time.Millisecond)
	}
}

// calm ends the match and all connections, so that figures can be compared. Afterwards the LEDs show
// the menu.
func (s *soak) calm() {
	s.visitors.Wait()
	s.hat.FailWrites(0, nil) // a short match may not have used up all failures
	s.hat.ShortWrites(0)
	s.hat.FailReads(0, nil)
	for s.now().Phase != game.Menu {
		s.ask("DELETE", "/v1/match", "")
		if p := s.now().Phase; p == game.Attract || p == game.Dark {
			s.hat.Tap(hat.Middle)
		}
		time.Sleep(time.Second)
	}
	time.Sleep(20 * time.Second) // until connections have ended
	s.hat.ForgetFrames()
	v := s.now()
	f := (*hatpanel.Colours)(nil).Frame(&v.Frame)
	if want := hattest.Letters(&f); s.hat.Letters() != want {
		s.t.Errorf("the LEDs show\n%swant\n%s", s.hat.Letters(), want)
	}
}

// turn presses a key, as people who play at random do. In the menu it starts a match.
func (s *soak) turn() {
	switch s.now().Phase {
	case game.Menu, game.Attract, game.Dark:
		board, colour := []string{"7x6", "7x6", "8x8", "5x4"}[s.rng.IntN(4)], []string{"", "", "red"}[s.rng.IntN(3)]
		s.ask("POST", "/v1/match", fmt.Sprintf(`{"board":%q,"computer":%q,"level":%d,"points":%d}`, board, colour, 1+s.rng.IntN(3), 1+s.rng.IntN(2)))
		return
	}
	key := []hat.Key{hat.Left, hat.Right, hat.Left, hat.Right, hat.Middle, hat.Down, hat.Middle, hat.Down}[s.rng.IntN(8)]
	switch s.rng.IntN(50) {
	case 0:
		key = hat.Up
	case 1: // held
		s.hat.Press(key)
		for range s.rng.IntN(10) {
			time.Sleep(40 * time.Millisecond)
			s.hat.Hold(key)
		}
		s.hat.Release(key)
	}
	s.hat.Tap(key)
}

// ask makes a request, which the service may refuse.
func (s *soak) ask(method, path, body string) {
	r, err := http.NewRequest(method, "http://c4hat"+path, strings.NewReader(body))
	must(s.t, err)
	answer, err := s.browser.Do(r)
	if err == nil {
		_, err = io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
	if err != nil || answer.StatusCode >= 500 {
		s.t.Errorf("%s %s %s: %+v, %v", method, path, body, answer, err)
	}
}

// visit is one client, which connects, makes requests and disconnects.
func (s *soak) visit() {
	requests := [][3]string{
		{"GET", "/v1/status"}, {"GET", "/v1/matches?last=3"}, {"POST", "/v1/press", `{"key":"hint"}`}, {"POST", "/v1/press", `{"key":"undo"}`},
		{"POST", "/v1/press", `{"column":4}`}, {"POST", "/v1/press", `{"column":"four"}`}, {"DELETE", "/v1/match"},
		{"POST", "/v1/match", `{"points":2,"computer":"red","level":1}`}, {"POST", "/v1/match", `{"force":true,"board":"5x4","first":"random"}`},
	}
	n, some := s.rng.IntN(len(requests)+4), time.Duration(s.rng.IntN(10000))*time.Millisecond
	s.visitors.Go(func() {
		time.Sleep(some / 4)
		if n < len(requests) {
			s.ask(requests[n][0], requests[n][1], requests[n][2])
			return
		}
		// Follows the events, stays connected without reading, or sends nothing or half a request.
		const events = "GET /v1/events HTTP/1.1\r\nHost: c4hat\r\n\r\n"
		c, err := s.door.Dial(context.Background(), "", "")
		must(s.t, err)
		defer c.Close()
		go io.WriteString(c, events[:len(events)*(n%3)/2]) // a pipe has no buffer
		_ = c.SetReadDeadline(time.Now().Add(some))
		_, _ = io.CopyN(io.Discard, c, []int64{1000, 1 << 40}[n%2])
		time.Sleep(some)
	})
}

// figures are the resources of a process.
type figures struct {
	Goroutines, Files int
	Heap, Objects     uint64 // reachable
}

// measure returns the figures of this process.
func measure(t *testing.T) (f figures) {
	t.Helper()
	// runtime.NumGoroutine would also count goroutines that are ending, and the runtime's own.
	f.Goroutines = strings.Count(allStacks(), "\n\ngoroutine ") + 1
	for range 3 { // the second collection empties each sync.Pool
		debug.FreeOSMemory()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	entries, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	f.Files, f.Heap, f.Objects = len(entries), m.HeapAlloc, m.HeapObjects
	return f
}

func allStacks() string {
	stacks := make([]byte, 1<<20)
	return string(stacks[:runtime.Stack(stacks, true)])
}

// check compares the figures with the first ones. The heap may grow by a constant, and by less than a word per
// match; the numbers of goroutines and files may not grow.
func (f figures) check(t *testing.T, first figures, matches uint64) {
	t.Helper()
	if f.Goroutines > first.Goroutines || f.Files > first.Files {
		t.Errorf("%+v, at first %+v:\n%s", f, first, allStacks())
	}
	if f.Heap > first.Heap+128<<10+matches || f.Objects > first.Objects+500+matches/100 {
		t.Errorf("%+v, at first %+v", f, first)
	}
}
