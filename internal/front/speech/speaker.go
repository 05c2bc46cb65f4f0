package speech

import (
	"context"
	"math"
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

const (
	// settle is how long keys must rest after one that follows another within the same time, before
	// anything is said: of a fast player's cursor, only the last column.
	settle = 200 * time.Millisecond

	// mostWaiting is how many texts that must be heard wait; of older ones only the number is said.
	mostWaiting = 8
)

// Speaker says texts one after the other. Nobody waits for it.
type Speaker struct {
	voice    *Voice
	narrator *Narrator
	wake     chan struct{}

	mu    sync.Mutex
	must  []string  // what must be heard
	shown string    // the newest text about what is shown
	due   time.Time // when to say it
	last  time.Time // when the last such text came
	stop  func()    // ends the text about what is shown, while one is said
}

// NewSpeaker returns a speaker. [Speaker.Run] says what it is told.
func NewSpeaker(v *Voice, n *Narrator) *Speaker {
	return &Speaker{voice: v, narrator: n, wake: make(chan struct{}, 1), stop: func() {}}
}

// Show tells the speaker the next view.
func (s *Speaker) Show(v game.View) error {
	s.say(s.narrator.Tell(v))
	return nil
}

func (s *Speaker) say(must []string, shown string) {
	if len(must) == 0 && shown == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop()
	s.must = append(s.must, must...)
	if s.shown = shown; shown != "" {
		s.due = time.Now()
		if s.due.Sub(s.last) < settle {
			s.due = s.due.Add(settle)
		}
		s.last = time.Now()
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Run says the texts until the context ends. While no engine works, what must be heard waits.
func (s *Speaker) Run(ctx context.Context) error {
	leftOut := 0 // how many texts that had to be heard were left out, and this has not been said
	for {
		speaking, stop := context.WithCancel(ctx)
		text, said, wait, wake := "", func() {}, time.Duration(math.MaxInt64), s.wake
		s.mu.Lock()
		older := max(len(s.must)-mostWaiting, 0)
		s.must, leftOut = s.must[older:], leftOut+older
		switch {
		case leftOut > 0:
			text, said = words.LeftOut(leftOut), func() { leftOut = 0 }
		case len(s.must) > 0:
			text, said = s.must[0], func() { s.must = s.must[1:] }
		case s.shown != "":
			if wait = time.Until(s.due); wait <= 0 {
				text, s.shown, s.stop = s.shown, "", stop
			}
		}
		s.mu.Unlock()
		if text != "" {
			err := s.voice.Say(speaking, text)
			s.mu.Lock()
			s.stop = func() {}
			if wait = 0; err != nil {
				wait, wake = rest, nil
			} else {
				said()
			}
			s.mu.Unlock()
		}
		stop()
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-wake:
		case <-time.After(wait):
		}
	}
}
