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
	"github.com/c4hat/c4hat/hat/hattest"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
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
			synctest.Test(t, func(t *testing.T) { newStorm(t, seed).blow() })
		})
		if !ok {
			return
		}
	}
}

// storm is a HAT whose faults step chooses at random.
type storm struct {
	t     *testing.T
	rng   *rand.Rand
	hat   *hattest.HAT
	game  *gametest.Panel // sees what the game shows
	log   gametest.Log
	did   []string
	drops int // discs that step has asked for

	plugged map[string]bool
	release func() // ends a write that hangs
}

func newStorm(t *testing.T, seed uint64) *storm {
	return &storm{
		t: t, rng: rand.New(rand.NewPCG(seed, 0)), hat: hattest.New(),
		plugged: map[string]bool{"matrix": true, "joystick": true}, release: func() {},
	}
}

func (s *storm) blow() {
	front := newFront(Devices{s.hat.OpenMatrix, s.hat.OpenJoystick}, Look{}, &s.log)
	play(s.t, front, game.Config{Idle: time.Hour, Forever: true}, func(other *gametest.Panel) {
		s.game = other
		for range 3 {
			for range 40 {
				s.step()
			}
			s.mend()
			s.holds()
		}
	})
	if s.hat.Letters() != darkLEDs {
		s.fail("after the end\n%s", s.hat.Letters())
	}
	if n := strings.Count(s.log.String(), "level=WARN"); n > 10 {
		s.fail("%d warnings", n)
	}
}

func (s *storm) fail(format string, args ...any) {
	s.t.Helper()
	s.t.Fatalf("%s\nafter\n%s\nlogged\n%s", fmt.Sprintf(format, args...), strings.Join(s.did, "\n"), s.log.String())
}

func (s *storm) do(what string, f func()) {
	s.did = append(s.did, what)
	f()
}

// step does one random thing and lets some time pass.
func (s *storm) step() {
	n := s.rng.IntN(8)
	switch s.rng.IntN(14) {
	case 0:
		errno := []syscall.Errno{syscall.ENOSPC, syscall.EIO, syscall.EINTR, syscall.EFBIG, syscall.ENODEV, syscall.EINVAL}[s.rng.IntN(6)]
		s.do(fmt.Sprintf("%d writes fail: %v", n, errno), func() { s.hat.FailWrites(n, errno) })
	case 1:
		errno := []syscall.Errno{syscall.EINTR, syscall.EIO, syscall.ENODEV}[s.rng.IntN(3)]
		s.do(fmt.Sprintf("%d reads fail: %v", n, errno), func() { s.hat.FailReads(n, errno) })
	case 2:
		s.do(fmt.Sprintf("%d short writes", n), func() { s.hat.ShortWrites(n) })
	case 3:
		s.do("writes hang", func() { s.release = s.hat.BlockWrites() })
	case 4:
		s.do("writes return", s.release)
	case 5:
		s.do("the HAT is reseated", s.hat.Reseat)
	case 6:
		s.do("events are lost", s.hat.Overflow)
	case 7:
		s.plug("matrix", s.hat.PlugMatrix, s.hat.UnplugMatrix)
	case 8:
		s.plug("joystick", s.hat.PlugJoystick, s.hat.UnplugJoystick)
	case 9:
		key := []hat.Key{hat.Left, hat.Right, hat.Up}[s.rng.IntN(3)]
		s.do(fmt.Sprintf("press %v", key), func() { s.hat.Press(key) })
		for range n {
			sleep(50 * time.Millisecond)
			s.hat.Hold(key)
		}
	case 10:
		s.do("release all", func() { s.hat.Release(hat.Left, hat.Right, hat.Up) })
	case 11:
		s.do("tap", func() { s.hat.Tap(hat.Left, hat.Right, hat.Right) })
	default: // from another panel, so that the game has something to show
		s.do(fmt.Sprintf("column %d", n), func() { s.drops++; s.game.Press(game.Column{Col: n}) })
	}
	if v := s.game.Last(); v.UnderWay {
		if discs := len(strings.Join(v.Rounds(), "")); discs > s.drops {
			s.fail("%d discs, and %d were asked for", discs, s.drops)
		}
	}
	sleep(time.Duration(s.rng.IntN(400)) * time.Millisecond)
}

func (s *storm) plug(what string, in, out func()) {
	if s.plugged[what] = !s.plugged[what]; s.plugged[what] {
		s.do(what+" in", in)
	} else {
		s.do(what+" out", out)
	}
}

// mend repairs all faults.
func (s *storm) mend() {
	s.do("repair all", func() {
		s.release()
		s.hat.FailWrites(0, nil)
		s.hat.FailReads(0, nil)
		s.hat.ShortWrites(0)
		s.hat.PlugMatrix()
		s.hat.PlugJoystick()
		s.plugged = map[string]bool{"matrix": true, "joystick": true}
		s.hat.Release(hat.Left, hat.Right, hat.Up)
	})
	sleep(20 * time.Second) // for a device that is tried again, and a picture that is repeated
}

// holds checks what must hold without faults: the LEDs show the game's frame, even while the
// joystick is used.
func (s *storm) holds() {
	look := func(what string) game.View {
		synctest.Wait()
		v := s.game.Last()
		if want := lettersOf(v); s.hat.Letters() != want {
			s.fail("%s the LEDs show\n%swant\n%s", what, s.hat.Letters(), want)
		}
		return v
	}
	before := look("then")
	for range 3 {
		s.hat.Tap(hat.Right)
		v := look("after a tap")
		if v == before {
			s.fail("the joystick does nothing")
		}
		before = v
		sleep(300 * time.Millisecond)
	}
}
