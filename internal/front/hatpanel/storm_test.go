package hatpanel

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/game"
)

var (
	storms    = flag.Int("storms", 100, "storms in TestStorm")
	stormSeed = flag.Uint64("storm-seed", 0, "run only this seed in TestStorm")
)

// Faults happen in random combinations at random moments: the game continues, and drops only the
// discs that the test asks for. Once all faults are repaired, the LEDs show the game's frame and
// the joystick works.
func TestStorm(t *testing.T) {
	seeds := make([]uint64, *storms)
	for i := range seeds {
		seeds[i] = rand.Uint64()
	}
	if *stormSeed != 0 {
		seeds = []uint64{*stormSeed}
	}
	for _, seed := range seeds {
		ok := t.Run(fmt.Sprintf("-storm-seed=%d", seed), func(t *testing.T) {
			d := onHAT(t, game.Config{Idle: time.Hour, Forever: true}, func(d *desk) {
				s := &storm{desk: d, rng: rand.New(rand.NewPCG(seed, 0)), plugged: map[string]bool{"matrix": true, "joystick": true}, release: func() {}}
				for range 3 {
					for range 40 {
						s.step()
					}
					s.mend()
					s.holds()
				}
			})
			if n := strings.Count(d.log.String(), "level=WARN"); n > 10 {
				t.Errorf("%d warnings", n)
			}
		})
		if !ok {
			return
		}
	}
}

// storm is a desk at which faults happen.
type storm struct {
	*desk
	rng     *rand.Rand
	did     []string
	drops   int // discs that step has asked for
	plugged map[string]bool
	release func() // ends a write that hangs
}

func (s *storm) fail(format string, args ...any) {
	s.Helper()
	s.Fatalf("%s\nafter\n%s\nlogged\n%s", fmt.Sprintf(format, args...), strings.Join(s.did, "\n"), s.log.String())
}

// step does one random thing and lets some time pass.
func (s *storm) step() {
	n, key := s.rng.IntN(8), []hat.Key{hat.Left, hat.Right, hat.Up}[s.rng.IntN(3)]
	errno := []syscall.Errno{syscall.ENOSPC, syscall.EIO, syscall.EINTR, syscall.EFBIG, syscall.ENODEV, syscall.EINVAL}[s.rng.IntN(6)]
	plug := func(what string, in, out func()) {
		if s.plugged[what] = !s.plugged[what]; s.plugged[what] {
			in()
		} else {
			out()
		}
	}
	drop := func() { // from another panel, so that the game has something to show
		s.drops++
		s.other.Press(game.Column{Col: n})
	}
	steps := []struct {
		what string
		do   func()
	}{
		{"writes fail", func() { s.FailWrites(n, errno) }},
		{"reads fail", func() { s.FailReads(n, errno) }},
		{"writes are short", func() { s.ShortWrites(n) }},
		{"writes hang", func() { s.release = s.BlockWrites() }},
		{"writes return", s.release},
		{"the HAT is reseated", s.Reseat},
		{"events are lost", s.Overflow},
		{"the matrix in or out", func() { plug("matrix", s.PlugMatrix, s.UnplugMatrix) }},
		{"the joystick in or out", func() { plug("joystick", s.PlugJoystick, s.UnplugJoystick) }},
		{"a key is held", func() {
			s.Press(key)
			for range n {
				sleep(50 * time.Millisecond)
				s.Hold(key)
			}
		}},
		{"release all", func() { s.Release(hat.Left, hat.Right, hat.Up) }},
		{"tap", func() { s.Tap(hat.Left, hat.Right, hat.Right) }},
		{"a column", drop}, {"a column", drop},
	}
	step := steps[s.rng.IntN(len(steps))]
	s.did = append(s.did, fmt.Sprint(step.what, " ", n, " ", errno, " ", key))
	step.do()
	if v := s.other.Last(); v.UnderWay {
		if discs := len(strings.Join(v.Rounds(), "")); discs > s.drops {
			s.fail("%d discs, and %d were asked for", discs, s.drops)
		}
	}
	sleep(time.Duration(s.rng.IntN(400)) * time.Millisecond)
}

// mend repairs all faults.
func (s *storm) mend() {
	s.did = append(s.did, "repair all")
	s.release()
	s.FailWrites(0, nil)
	s.FailReads(0, nil)
	s.ShortWrites(0)
	plug(s.HAT)
	s.plugged = map[string]bool{"matrix": true, "joystick": true}
	s.Release(hat.Left, hat.Right, hat.Up)
	sleep(20 * time.Second) // for a device that is tried again, and a picture that is repeated
}

// holds checks what must hold without faults: the LEDs show the game's frame, even while the
// joystick is used.
func (s *storm) holds() {
	var before game.View
	for range 4 {
		synctest.Wait()
		v := s.other.Last()
		if want := lettersOf(v); s.Letters() != want {
			s.fail("the LEDs show\n%swant\n%s", s.Letters(), want)
		}
		if v == before {
			s.fail("the joystick does nothing")
		}
		before = v
		sleep(300 * time.Millisecond)
		s.Tap(hat.Right)
	}
}
