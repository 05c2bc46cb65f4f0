package game

import (
	"strings"
	"testing"
	"time"
)

// player drives a state through time for a test, and checks at every step that the view
// changes exactly when Next says so.
type player struct {
	t       *testing.T
	state   *Game
	now     time.Time
	effects []Effect
	kept    Record // the record that was saved last
	random  bool   // the computer plays at random and at once
	from    Source // of the next events

	answer func(Question) Answered // unless it is nil, to every question at once
}

var start = time.Date(2024, 1, 1, 12, 0, 0, 0, time.UTC)

func newPlayer(t *testing.T, c Config) *player {
	t.Helper()
	s, err := New(c, start)
	must(t, err)
	p := &player{t: t, state: s, now: start}
	p.step(Tick{}) // as the loop does
	return p
}

func (p *player) step(ev Event) { p.stepFrom(ev, p.from) }

func (p *player) stepFrom(ev Event, from Source) {
	effects := p.state.StepFrom(p.now, ev, from)
	for _, e := range effects {
		q, asks := e.(Question)
		switch {
		case asks && p.answer != nil:
			a := p.answer(q)
			a.ID = q.ID
			p.step(a)
			continue
		case asks && q.Kind == Think && (p.random || p.state.Phase() == Attract): // the demo's computers play at random
			p.step(Answered{ID: q.ID, Failed: true})
			continue
		}
		if save, ok := e.(Save); ok {
			p.kept = save.Record
		}
		p.effects = append(p.effects, e)
	}
}

// resume restarts the program with the match saved last.
func (p *player) resume() {
	p.t.Helper()
	c := p.state.config
	c.Run += "again"
	s, err := Resume(c, p.kept, p.now)
	must(p.t, err)
	p.state, p.effects = s, nil
	p.step(Tick{})
}

// after lets time pass as the loop does: asleep until Next.
func (p *player) after(d time.Duration) {
	p.t.Helper()
	end := p.now.Add(d)
	for {
		next, ok := p.state.Next(p.now)
		if ok && !next.After(p.now) {
			p.t.Fatalf("%v: Next is %v from now", p.state.Phase(), next.Sub(p.now))
		}
		still := end
		if ok && !next.After(end) {
			still = next.Add(-1)
		}
		if still.After(p.now) && p.state.View(still) != p.state.View(p.now) {
			p.t.Fatalf("%v: the view changes before Next", p.state.Phase())
		}
		if !ok || next.After(end) {
			p.now = end
			p.step(Tick{})
			return
		}
		p.now = next
		p.step(Tick{})
	}
}

// settle lets time pass until the game waits for input.
func (p *player) settle() {
	p.t.Helper()
	for p.state.Phase() == Fall {
		p.after(10 * time.Millisecond)
	}
}

// drops plays moves: digits that number the columns from 1.
func (p *player) drops(moves string) {
	p.t.Helper()
	for _, c := range moves {
		if p.state.Phase() != Aim {
			p.t.Fatalf("column %c: the phase is %v, not aim", c, p.state.Phase())
		}
		if tap := p.state.tap; tap.from == (Source{}) && p.now.Before(tap.at.Add(dropWindow)) {
			p.after(dropWindow)
		}
		p.step(Column{int(c - '1')})
		p.settle()
	}
}

func (p *player) frame() string { return letters(p.state.View(p.now).Frame) }

func letters(f Frame) string {
	var s strings.Builder
	for i, l := range f {
		s.WriteByte(l.Letter())
		if i%8 == 7 {
			s.WriteByte('\n')
		}
	}
	return s.String()
}
