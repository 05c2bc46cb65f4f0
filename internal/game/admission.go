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

// admissions is the last [Admission], and what decides whether the next one is allowed.
type admissions struct {
	Admission
	failed int       // requests in a row that were not admitted
	paused time.Time // until then, new requests are refused
}

// admission asks for a digit.
type admission struct {
	plain
	shown int    // the digit on the LEDs
	last  screen // to return to
}

// admit asks for a digit, unless a match is being played.
func (g *Game) admit(ev Admit) error {
	if ev.Digit < 1 || ev.Digit > maxDigit {
		return ErrAdmitNobody
	}
	last := g.screen
	switch last.(type) {
	case *demo, *menu, *pause, *dark:
	case *admission:
		return ErrAdmitting
	default:
		return ErrAdmitMatch
	}
	if a := &g.admission; g.now.Before(a.paused) {
		return fmt.Errorf("%w: ask again in %v", ErrAdmitSoon, (a.paused.Sub(g.now) + time.Second - 1).Truncate(time.Second))
	}
	s := &admission{shown: ev.Digit, last: last}
	s.turn(admitSteps)
	g.open(s)
	g.admission.Admission = Admission{g.admission.ID + 1, ev.Digit, Unanswered}
	return nil
}

// press takes an answer. Only people at this machine can answer.
func (s *admission) press(g *Game, in input) {
	if g.from.Kind != Panel || in.held || g.now.Sub(g.since) < admitGrace {
		return
	}
	switch confirms := in.key == Down || in.key == Middle; {
	case confirms && s.shown == g.admission.Digit:
		g.admission.Answer, g.admission.failed = Admitted, 0
		s.end(g)
	case confirms, in.key == Up:
		s.end(g)
	case in.dir != 0:
		s.turn(in.dir)
	}
}

// turn shows the digit that is a number of steps further on; 1 follows 9.
func (s *admission) turn(steps int) { s.shown = wrap(s.shown-1, steps, maxDigit, false) + 1 }

func (s *admission) next(g *Game) (time.Time, func(*Game)) {
	return g.since.Add(admitTime), s.end
}

func (s *admission) show(_ *Game, p *picture) {
	p.Phase = Admitting
	drawDigit(&p.Frame, s.shown, LEDPlain)
}

// end returns to the previous screen. Any screen that opens rejects a request without an answer.
func (s *admission) end(g *Game) { g.open(s.last) }

func (g *Game) withdraw(id int) {
	if s, ok := g.screen.(*admission); ok && g.admission.ID == id {
		s.end(g)
	}
}

// reject rejects the browser. New requests have to wait.
func (g *Game) reject() {
	a := &g.admission
	a.Answer = Rejected
	a.paused = g.now.Add(min(admitPause<<min(a.failed, 10), maxAdmitPause))
	a.failed++
}
