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
	for range *storms {
		seed := rand.Uint64()
		if *stormSeed != 0 {
			seed = *stormSeed
		}
		if !t.Run(fmt.Sprintf("-storm-seed=%d", seed), func(t *testing.T) { storm(t, rand.New(rand.NewPCG(seed, 0))) }) {
			return
		}
	}
}

func storm(t *testing.T, rng *rand.Rand) {
	d := onHAT(t, game.Config{Idle: time.Hour, Forever: true}, func(d *desk) {
		drops, release := 0, func() {} // the discs that the test asks for; ends a write that hangs
		var did []string
		fail := func(format string, args ...any) {
			d.Fatalf("%s\nafter\n%s\nlogged\n%s", fmt.Sprintf(format, args...), strings.Join(did, "\n"), d.log.String())
		}
		var n int
		var errno syscall.Errno
		drop := func() { // from another panel, so that the game has something to show
			drops++
			d.other.Press(game.Column{Col: n})
		}
		steps := []struct {
			what string
			do   func()
		}{
			{"writes fail", func() { d.FailWrites(errno) }}, {"writes work", func() { d.FailWrites(nil) }},
			{"reads fail", func() { d.FailReads(errno) }}, {"reads work", func() { d.FailReads(nil) }},
			{"writes hang", func() { release = d.BlockWrites() }},
			{"writes return", func() { release() }},
			{"the HAT is reseated", d.Reseat},
			{"the matrix out", d.UnplugMatrix}, {"the matrix in", d.PlugMatrix},
			{"the joystick out", d.UnplugJoystick}, {"the joystick in", d.PlugJoystick},
			{"up is held", func() {
				d.Press(hat.Up)
				for range n {
					sleep(50 * time.Millisecond)
					d.Hold(hat.Up)
				}
			}},
			{"release up", func() { d.Release(hat.Up) }},
			{"tap", func() { d.Tap(hat.Left, hat.Right, hat.Right) }},
			{"a column", drop}, {"a column", drop},
		}
		for range 3 {
			for range 40 {
				n = rng.IntN(8)
				errno = []syscall.Errno{syscall.ENOSPC, syscall.EIO, syscall.ENODEV, syscall.EINVAL}[rng.IntN(4)]
				step := steps[rng.IntN(len(steps))]
				did = append(did, fmt.Sprint(step.what, " ", n, " ", errno))
				step.do()
				if v := d.other.Last(); v.UnderWay && len(strings.Join(v.Rounds(), "")) > drops {
					fail("%v, and %d discs were asked for", v.Rounds(), drops)
				}
				sleep(time.Duration(rng.IntN(400)) * time.Millisecond)
			}
			did = append(did, "repair all")
			release()
			d.FailWrites(nil)
			d.FailReads(nil)
			plug(d.HAT)
			d.Release(hat.Up)
			sleep(20 * time.Second) // for a device that is tried again, and a picture that is repeated
			var before game.View
			for range 4 {
				synctest.Wait()
				v := d.other.Last()
				if d.same(); v == before {
					fail("the joystick does nothing")
				}
				before = v
				sleep(300 * time.Millisecond)
				d.Tap(hat.Right)
			}
		}
	})
	if n := strings.Count(d.log.String(), "level=WARN"); n > 10 {
		t.Errorf("%d warnings", n)
	}
}
