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
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

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

// soak is the service, with devices and a socket in memory, and everybody who uses it.
type soak struct {
	t        *testing.T
	rng      *rand.Rand
	hat      *hattest.HAT
	door     *pipes.Listener
	browser  http.Client
	game     session.Session
	visitors sync.WaitGroup
	*store.Saver
	over atomic.Int64 // finished matches
}

// Finish makes soak a keeper that counts.
func (s *soak) Finish(r game.Record) {
	if r.Begun() {
		s.over.Add(1)
	}
	s.Saver.Finish(r)
}

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
		s := &soak{t: t, hat: hattest.New(), door: pipes.New(), rng: rand.New(rand.NewPCG(*soakSeed, 0))}
		s.browser.Transport = &http.Transport{DialContext: s.door.Dial, DisableKeepAlives: true}
		stop, began := s.serve(dir), time.Now()
		mark := max(matches/10, 1)
		var first figures
		for done := mark; done <= matches && !t.Failed(); done += mark {
			for s.over.Load() < int64(done) {
				s.match()
			}
			s.calm()
			now := measure(t)
			t.Logf("%6d matches, %.1f days: %+v", s.over.Load(), time.Since(began).Hours()/24, now)
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
		if len(seen) != int(s.over.Load()) {
			t.Errorf("%d matches in the history, %d were played", len(seen), s.over.Load())
		}
	})
}

// serve starts the service as package daemon does.
func (s *soak) serve(dir string) (stop func()) {
	log := slog.New(slog.DiscardHandler)
	c := game.Config{
		Setup: game.Setup{Rules: board.Standard, Points: 1, First: board.FirstAlternate},
		Idle:  10 * time.Minute, Attract: true, Forever: true, Seed: *soakSeed,
	}
	var err error
	s.Saver, err = store.OpenSaver(s.t.Context(), dir, log)
	must(s.t, err)
	state, err := game.Resume(s.Config(c), s.Left, time.Now())
	must(s.t, err)
	panel := hatpanel.New(s.hat.OpenMatrix, s.hat.OpenJoystick, hatpanel.Look{}, log)
	l := session.New(state, session.Options{Computer: newComputer(), Keeper: s})
	s.game = l.As(game.Source{})
	server := socket.New(socket.Options{
		As: l.As, Matches: s.Matches, Setup: c.Setup, Log: log, Status: func() socket.Machine { return socket.Machine{} },
	})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := server.Serve(ctx, s.door); err != nil {
			s.t.Error(err)
		}
	})
	running.Go(func() {
		if _, err := l.Run(ctx, panel); err != ctx.Err() {
			s.t.Error(err)
		}
	})
	return func() {
		cancel()
		running.Wait()
		panel.Close()
		if !s.Close() {
			s.t.Error("the saver did not save everything")
		}
	}
}

// now returns what the game shows.
func (s *soak) now() game.View {
	synctest.Wait()
	v, err := s.game.Do(s.t.Context(), game.Tick{})
	must(s.t, err)
	return v
}

// match plays one match to its end, while the HAT fails and a client visits.
func (s *soak) match() {
	s.hat.ForgetFrames()
	some := time.Duration(s.rng.IntN(5000)) * time.Millisecond
	later := func(f func()) { s.visitors.Go(func() { time.Sleep(some); f() }) }
	faults := []func(){
		func() { s.hat.FailWrites(syscall.ENOSPC); later(func() { s.hat.FailWrites(nil) }) },
		func() { s.hat.FailReads(syscall.EIO); later(func() { s.hat.FailReads(nil) }) },
		s.hat.Reseat,
		func() { s.hat.UnplugMatrix(); later(s.hat.PlugMatrix) },
		func() { s.hat.UnplugJoystick(); later(s.hat.PlugJoystick) },
		func() { later(s.hat.BlockWrites()) },
	}
	if fault := s.rng.IntN(len(faults) + 2); fault < len(faults) {
		faults[fault]()
	}
	s.visit()
	for before := s.over.Load(); s.over.Load() == before; {
		s.turn()
		time.Sleep(time.Duration(250+s.rng.IntN(250)) * time.Millisecond)
	}
}

// calm ends the match and all connections, so that figures can be compared. Afterwards the LEDs show
// the menu.
func (s *soak) calm() {
	s.visitors.Wait()
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
	key := []hat.Key{hat.Left, hat.Right, hat.Middle, hat.Down}[s.rng.IntN(4)]
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

// visit is one client, which makes a request or follows the events, or stays connected without reading, or sends
// nothing or half a request.
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
