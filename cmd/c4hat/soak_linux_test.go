package main

import (
	"context"
	"flag"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/hattest"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/hatpanel"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/socket"
	"github.com/c4hat/c4hat/internal/store"
)

var (
	soakMatches = flag.Int("matches", 60, "matches that are played in TestSoak")
	soakSeed    = flag.Uint64("soak-seed", rand.Uint64(), "repeats what TestSoak did, as far as goroutines let it")
)

// The service leaks nothing: after years of matches it has the same number of goroutines and open
// files as after the first matches, and uses about as much memory.
//
// The devices and the socket are in memory, so that the test runs in simulated time; everything else
// is real. People press keys, the computer plays, clients connect and disconnect, and devices fail
// and are unplugged.
func TestSoak(t *testing.T) {
	dir := memoryDir(t)
	t.Logf("seed %d", *soakSeed)
	synctest.Test(t, func(t *testing.T) {
		s := soak{
			t: t, hat: hattest.New(), door: socket.NewInside(), dir: dir,
			rng: rand.New(rand.NewPCG(*soakSeed, 0)),
		}
		matches := *soakMatches
		if testing.Short() {
			matches = min(matches, 20)
		}
		s.play(matches)
	})
}

// soak is the service, with devices and a socket in memory, and everybody who uses it.
type soak struct {
	t   *testing.T
	rng *rand.Rand
	hat *hattest.HAT
	dir string

	door     *socket.Inside
	visitors sync.WaitGroup

	mu   sync.Mutex
	view game.View // the last view

	alive int // calls of Alive
	over  int // finished matches
	given int // finished matches that were abandoned
	discs int // discs dropped
	shown int // views shown
}

// Show and Next make soak a panel that only counts what it sees.
func (s *soak) Show(v game.View) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view = v
	s.shown++
	return nil
}

func (s *soak) Next(ctx context.Context) (game.Event, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// play plays matches, and compares the figures with the first ones now and then.
func (s *soak) play(matches int) {
	stop := s.daemon()
	mark := max(matches/10, 1)
	var first, now figures
	for done := mark; done <= matches; done += mark {
		for s.played() < done {
			s.match()
		}
		s.calm()
		now = s.measure()
		s.t.Logf("%6d matches: %v", now.matches, now)
		if done == mark { // the first matches fill pools and caches
			first = now
		}
		now.check(s.t, first)
		now.stacks, first.stacks = "", "" // not part of the comparison
		if s.t.Failed() {
			break
		}
	}
	stop()
	s.history()
}

// daemon starts the service as package daemon does.
func (s *soak) daemon() (stop func()) {
	log := slog.New(slog.DiscardHandler)
	c := game.Config{
		Setup: game.Setup{Rules: board.Standard, Points: 1, First: board.FirstAlternate},
		Idle:  10 * time.Minute, Attract: true, Forever: true, Seed: *soakSeed,
	}
	k, err := store.OpenSaver(s.t.Context(), s.dir, log)
	must(s.t, err)
	state, err := game.Resume(k.Config(c), k.Left, time.Now())
	must(s.t, err)
	panel := hatpanel.New(hatpanel.Devices{Matrix: s.hat.OpenMatrix, Joystick: s.hat.OpenJoystick}, &hat.Opts{}, hatpanel.Look{}, log)
	l := session.New(state, session.Options{})
	server := socket.New(socket.Options{
		Rate: rate.Inf,
		As:   l.As, Matches: k.Matches, Setup: c.Setup, Log: log,
		Status: func() socket.Machine { return socket.Machine{} },
	})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		if err := server.Serve(ctx, s.door); err != nil {
			s.t.Error(err)
		}
	})
	l.Options = session.Options{
		Computer: newComputer(), Keeper: counting{k, s},
		Every: 10 * time.Second, Alive: func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.alive++
		},
	}
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
		if abandoned {
			c.given++
		}
		for _, moves := range r.Rounds() {
			c.discs += len(moves)
		}
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

// lives returns the number of calls of Alive, each of which is a watchdog keep-alive.
func (s *soak) lives() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.alive
}

// match plays one match to its end.
func (s *soak) match() {
	s.hat.ForgetFrames()
	s.mishap()
	s.visit()
	for before := s.played(); s.played() == before; {
		s.turn()
		time.Sleep(time.Duration(250+s.rng.IntN(250)) * time.Millisecond)
	}
}

// mishap makes the HAT fail in a random way.
func (s *soak) mishap() {
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
		s.away(s.hat.UnplugMatrix, s.hat.PlugMatrix)
	case 6:
		s.away(s.hat.UnplugJoystick, s.hat.PlugJoystick)
	case 7:
		release := s.hat.BlockWrites()
		s.visitors.Go(func() { time.Sleep(time.Second); release() })
	}
}

// away unplugs a device for some seconds, while the game continues.
func (s *soak) away(unplug, plug func()) {
	unplug()
	some := time.Duration(s.rng.IntN(5000)) * time.Millisecond
	s.visitors.Go(func() { time.Sleep(some); plug() })
}

// calm ends the match and all connections, so that figures can be compared. Afterwards the LEDs show
// the menu.
func (s *soak) calm() {
	s.visitors.Wait()
	s.hat.FailWrites(0, nil) // a short match may not have used up all failures
	s.hat.ShortWrites(0)
	s.hat.FailReads(0, nil)
	for s.now().Phase != game.Menu {
		if _, err := s.ask("DELETE", "/v1/match", ""); err != nil {
			s.t.Fatal(err)
		}
		if p := s.now().Phase; p == game.Attract || p == game.Dark {
			s.hat.Tap(hat.Middle)
		}
		time.Sleep(time.Second)
	}
	time.Sleep(20 * time.Second) // until Alive was called and connections have ended
	s.hat.ForgetFrames()
	v := s.now()
	if want := lettersOf(v); s.hat.Letters() != want {
		s.t.Errorf("the LEDs show\n%swant\n%s", s.hat.Letters(), want)
	}
}

// history checks that the history has every match that was played, once.
func (s *soak) history() {
	seen := map[string]bool{}
	for e, err := range store.History(s.dir) {
		must(s.t, err)
		if seen[e.ID] {
			s.t.Errorf("%s is in the history twice", e.ID)
		}
		seen[e.ID] = true
	}
	if len(seen) != s.over {
		s.t.Errorf("%d matches in the history, %d were played", len(seen), s.over)
	}
	if info, err := os.Stat(filepath.Join(s.dir, "matches.jsonl")); err == nil {
		s.t.Logf("%d matches, %d given up; %d discs, %d views; a history of %d KiB", s.over, s.given, s.discs, s.shown, info.Size()>>10)
	}
}
