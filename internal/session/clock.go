package session

import (
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

// clock tells the loop the time and wakes it. An instant clock stands still while somebody must
// act, and jumps to the next moment while the game waits only for time.
type clock struct {
	timer   *time.Timer
	instant bool
	at      time.Time // the time of an instant clock
	next    time.Time // where an instant clock jumps to
}

func newClock(instant bool) *clock {
	return &clock{timer: time.NewTimer(0), instant: instant, at: time.Unix(0, 0), next: time.Unix(0, 0)}
}

func (c *clock) now() time.Time {
	if c.instant {
		return c.at
	}
	return time.Now()
}

// event says that somebody acted. On an instant clock that takes a second, so that the game takes no
// line of text for a double press.
func (c *clock) event() { c.at = c.at.Add(time.Second) }

// pass says that the timer has fired.
func (c *clock) pass() {
	if c.next.After(c.at) {
		c.at = c.next
	}
}

// diskTime is how long an instant clock waits for a save, as long as the game does.
const diskTime = time.Second

// sleep sets the timer to the next moment, if there is one. On an instant clock that comes at once, but
// not before the disk has had its time.
func (c *clock) sleep(next time.Time, ok bool, disk time.Time) {
	c.next = next
	if c.instant {
		next = disk
	}
	if ok {
		c.timer.Reset(time.Until(next))
	} else {
		c.timer.Stop()
	}
}

// flows reports whether a phase passes by itself. In the others an instant clock stands still, even
// though a cursor may blink.
func flows(p game.Phase) bool {
	return game.Thinking <= p && p <= game.Clear || p == game.Hinting
}
