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

	mu      sync.Mutex
	must    []string  // what must be heard
	leftOut int       // how many older such texts were left out
	shown   string    // the newest text about what is shown
	due     time.Time // when to say it
	last    time.Time // when the last such text came
	stop    func()    // ends the text about what is shown, while one is said
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
	s.queue(append(s.must, must...))
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

func (s *Speaker) queue(must []string) {
	older := max(len(must)-mostWaiting, 0)
	s.must, s.leftOut = must[older:], s.leftOut+older
}

// Run says the texts until the context ends. While no engine works, what must be heard waits.
func (s *Speaker) Run(ctx context.Context) error {
	for {
		speaking, stop := context.WithCancel(ctx)
		text, putBack, wait := s.take(stop)
		wake := s.wake
		if text != "" {
			if err := s.voice.Say(speaking, text); err != nil {
				putBack()
				wait, wake = rest, nil
			}
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

// take returns the text to say now. If it is about what is shown, stop ends it when there is something newer;
// else putBack lets it wait again. If there is no text, wait is how long it takes until there may be one.
func (s *Speaker) take(stop func()) (text string, putBack func(), wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop, putBack = func() {}, func() {}
	switch n := s.leftOut; {
	case n > 0:
		text, s.leftOut = words.LeftOut(n), 0
		putBack = func() { s.mu.Lock(); s.leftOut += n; s.mu.Unlock() }
	case len(s.must) > 0:
		text, s.must = s.must[0], s.must[1:]
		putBack = func() { s.mu.Lock(); s.queue(append([]string{text}, s.must...)); s.mu.Unlock() }
	case s.shown == "":
		wait = math.MaxInt64 // until something wakes it
	default:
		if wait = time.Until(s.due); wait <= 0 {
			text, s.shown, s.stop = s.shown, "", stop
		}
	}
	return text, putBack, wait
}
