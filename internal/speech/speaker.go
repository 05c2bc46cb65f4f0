package speech

import (
	"context"
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
	must    []string
	skipped int       // how many texts that must be heard were left out
	shown   string    // the newest text about what is shown
	due     time.Time // when to say it
	last    time.Time // when the last such text came
	stop    func()    // ends the text about what is shown, while one is said
	retry   time.Time // when the voice may work again
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
	if more := len(s.must) - mostWaiting; more > 0 {
		s.must, s.skipped = s.must[more:], s.skipped+more
	}
	s.shown = shown
	if shown != "" {
		now := time.Now()
		s.due = now
		if now.Sub(s.last) < settle {
			s.due = now.Add(settle)
		}
		s.last = now
	}
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Run says the texts until the context ends.
func (s *Speaker) Run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		speaking, stop := context.WithCancel(ctx)
		t, wait := s.take(stop)
		if t.text == "" {
			stop()
			timer.Stop()
			if wait > 0 {
				timer.Reset(wait)
			}
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case <-s.wake:
			case <-timer.C:
			}
			continue
		}
		err := s.voice.Say(speaking, t.text)
		stop()
		s.said(t, err)
	}
}

// taken is a text that is being said.
type taken struct {
	text    string
	must    bool
	skipped int // how many texts it stands for, if they were left out
}

// take returns the text to say now. If it is about what is shown, stop ends it when there is something
// newer. If there is no text, wait is how long it takes until there may be one, or 0 if nothing is to
// be said.
func (s *Speaker) take(stop func()) (t taken, wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	switch {
	case len(s.must) == 0 && s.shown == "":
	case now.Before(s.retry):
		wait = s.retry.Sub(now)
	case s.skipped > 0:
		t = taken{words.LeftOut(s.skipped), true, s.skipped}
		s.skipped = 0
	case len(s.must) > 0:
		t = taken{text: s.must[0], must: true}
		s.must = s.must[1:]
	case now.Before(s.due):
		wait = s.due.Sub(now)
	default:
		t.text, s.shown, s.stop = s.shown, "", stop
	}
	return t, wait
}

// said ends a text. What must be heard waits until a voice can say it.
func (s *Speaker) said(t taken, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop, s.retry = func() {}, time.Time{}
	if err == nil {
		return
	}
	s.retry = s.voice.Retry()
	switch {
	case t.skipped > 0 || len(s.must) >= mostWaiting:
		s.skipped += max(t.skipped, 1)
	case t.must:
		s.must = append([]string{t.text}, s.must...)
	}
}
