package hatpanel

import (
	"errors"
	"time"

	"github.com/c4hat/c4hat/hat"
)

// darkTimeout is how long Close waits for the LEDs to go dark. A stuck bus must not keep the
// program from exiting.
const darkTimeout = 50 * time.Millisecond

// Close turns the LEDs off and closes the devices.
func (p *Panel) Close() {
	p.cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.closeMatrix()
	}()
	p.closeJoystick()
	p.closing.Wait() // hangUp may be closing the joystick
	select {
	case <-done:
	case <-time.After(darkTimeout):
		p.log.Error("the matrix is stuck: its LEDs may stay lit")
	}
}

// hangUp ends a blocked Show and Next.
func (p *Panel) hangUp() {
	p.cancel()
	p.closeJoystick()
}

// closeMatrix turns the LEDs off, if possible, and closes the matrix.
func (p *Panel) closeMatrix() {
	p.mu.Lock()
	m, unwatch := p.matrix, p.unwatch
	p.matrix, p.unwatch = nil, nil
	p.mu.Unlock()
	if unwatch != nil {
		unwatch()
	}
	if m == nil {
		return
	}
	p.seen(false)
	if err := m.Close(); err != nil && !errors.Is(err, hat.ErrGone) {
		p.log.Error("the LEDs could not be turned off", "reason", err)
	}
}

func (p *Panel) closeJoystick() {
	p.mu.Lock()
	s := p.joystick
	p.joystick = nil
	if s != nil {
		p.closing.Add(1)
		defer p.closing.Done()
	}
	p.mu.Unlock()
	if s != nil {
		s.Close() // an error loses nothing
	}
}
