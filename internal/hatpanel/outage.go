package hatpanel

import (
	"context"
	"time"

	"github.com/c4hat/c4hat/hat"
)

// outage records the failures of a device. A faulty device may open, fail at once, and do so again
// and again.
type outage struct {
	what    string
	began   time.Time     // when the device was opened; zero after it has failed
	backoff time.Duration // the wait before the last opening
	told    time.Time     // when its failure was last logged
	there   bool          // the last log line says that the device is there
}

const (
	minBackoff = 100 * time.Millisecond
	maxBackoff = 3 * time.Second
)

// lost logs that a device has failed, at most once a minute, and waits before the next opening.
// Each time that the device fails soon after it was opened, the wait gets longer. lost returns
// false if the panel is closed.
func (p *Panel) lost(o *outage, err error) bool {
	if time.Since(o.told) >= time.Minute {
		o.told = time.Now()
		p.waiting(o, "reason", err)
	}
	if !o.began.IsZero() && time.Since(o.began) > 2*maxBackoff {
		o.backoff = 0
	}
	o.began, o.backoff = time.Time{}, min(max(2*o.backoff, minBackoff), maxBackoff)
	select {
	case <-time.After(o.backoff):
		return true
	case <-p.ctx.Done():
		return false
	}
}

func (p *Panel) waiting(o *outage, why ...any) {
	o.there = false
	p.log.Warn("waiting for the "+o.what, why...)
}

// report returns a function that logs why the panel still waits for the device.
func (p *Panel) report(o *outage) func(error) {
	return func(err error) { p.waiting(o, "reason", err, "more", "c4hat doctor") }
}

// found logs that the device is there, unless the last line about it says so.
func (p *Panel) found(o *outage, device any) {
	o.began = time.Now()
	if !o.there {
		o.there = true
		p.log.Info("the "+o.what+" is there", "device", device)
	}
}

// watch restores the picture if the matrix is unplugged and plugged back in while there is
// nothing new to show.
func (p *Panel) watch(m *hat.Matrix) {
	ctx, cancel := context.WithCancel(p.ctx)
	p.mu.Lock()
	p.unwatch = cancel
	p.mu.Unlock()
	go func() {
		if m.AwaitGone(ctx) != nil {
			return
		}
		p.showing <- struct{}{}
		defer func() { <-p.showing }()
		p.mu.Lock()
		ours := p.matrix == m
		p.mu.Unlock()
		if !ours { // Show noticed first that the matrix was disconnected
			return
		}
		p.closeMatrix()
		if !p.lost(&p.screen, hat.ErrGone) {
			return
		}
		if err := p.show(p.last, true); err != nil && p.ctx.Err() == nil {
			p.complain("cannot show a frame", err)
		}
	}()
}
