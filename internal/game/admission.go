package game

import (
	"fmt"
	"time"
)

// A new browser may press keys only after somebody at the HAT has admitted it. The browser's page
// shows a digit, and that person chooses the same digit on the LEDs with the joystick. Any other
// answer rejects the browser, so nobody who only wants to play admits a stranger.

const (
	admitTime = 30 * time.Second // without an answer by then, the browser is rejected

	// A press within this time after a digit appears is ignored: it was meant for the previous
	// screen.
	admitGrace = time.Second

	// admitSteps is how far the first digit on the LEDs is from the right one, so that stray presses
	// do not find it.
	admitSteps = 4

	// After a request that was not admitted, new requests are refused for this time. Each further
	// one doubles the time, so that requests cannot keep people from using the menu.
	admitPause    = 5 * time.Second
	maxAdmitPause = 10 * time.Minute
)

// admit asks for a digit, unless a match is being played.
func (t *step) admit(ev Admit) error {
	switch {
	case ev.Digit < 1 || ev.Digit > maxDigit:
		return ErrAdmitNobody
	case t.phase == Admitting:
		return ErrAdmitting
	case t.phase != Attract && t.phase != Menu && t.phase != Paused && t.phase != Dark:
		return ErrAdmitMatch
	case t.now.Before(t.admission.paused):
		return fmt.Errorf("%w: ask again in %v", ErrAdmitSoon, (t.admission.paused.Sub(t.now) + time.Second - 1).Truncate(time.Second))
	}
	t.admission.Admission = Admission{ID: t.admission.ID + 1, Digit: ev.Digit}
	t.admission.shown = ev.Digit
	t.admission.turn(admitSteps)
	t.admission.before = t.phase
	t.enter(Admitting)
	return nil
}

// turn shows the digit that is a number of steps further on; 1 follows 9.
func (a *admission) turn(steps int) { a.shown = wrap(a.shown-1, steps, maxDigit, false) + 1 }

// endAdmission ends the request and returns to the previous screen.
func (t *step) endAdmission(a Answer) {
	t.settle(a)
	if t.admission.before == Attract {
		t.startDemo()
	} else {
		t.enter(t.admission.before)
	}
}

// replaced rejects the request if a client has started or ended a match while the digit was asked
// for.
func (t *step) replaced() {
	if a := &t.admission; a.ID > 0 && a.Answer == Unanswered && t.phase != Admitting {
		t.settle(Rejected)
	}
}

// settle records the answer. After a rejection, new requests have to wait.
func (t *step) settle(a Answer) {
	t.admission.Answer = a
	if a == Admitted {
		t.admission.failed = 0
		return
	}
	t.admission.paused = t.now.Add(min(admitPause<<min(t.admission.failed, 10), maxAdmitPause))
	t.admission.failed++
}
