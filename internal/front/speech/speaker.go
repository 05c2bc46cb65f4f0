package speech

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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

	rest = 10 * time.Second // of an engine that has failed

	// An engine that takes longer than patience, and slowest for each byte, hangs. At the lowest rate
	// a second has eight letters.
	patience, slowest = 5 * time.Second, 150 * time.Millisecond
)

// Speaker says texts one after the other, through the first of its engines that works. Nobody waits for it.
type Speaker struct {
	log      *slog.Logger
	engines  []*engine
	spoke    *engine // the last that spoke
	narrator *Narrator
	wake     chan struct{}

	mu    sync.Mutex
	must  []string        // what must be heard
	shown string          // the newest text about what is shown
	due   time.Time       // when to say it
	last  time.Time       // when the last such text came
	keys  string          // what the keys do, which is said after all else
	heard map[string]bool // of such texts
	stop  func()          // ends the text about what is shown, while one is said
}

// NewSpeaker returns a speaker. [Speaker.Run] says what it is told, and starts nothing before the first text.
func NewSpeaker(o Options, n *Narrator) *Speaker {
	s := &Speaker{log: o.Log, narrator: n, wake: make(chan struct{}, 1), heard: map[string]bool{"": true}, stop: func() {}}
	for i, say := range []func(context.Context, string) error{o.dispatcher, o.espeak, o.lines} { // in the order of Engines
		if name := Engines[1+i]; o.Engine == name || o.Engine == Engines[0] {
			s.engines = append(s.engines, &engine{name: name, say: say})
		}
	}
	return s
}

// Show tells the speaker the next view.
func (s *Speaker) Show(v game.View) error {
	must, shown := s.narrator.Tell(v)
	s.say(must, shown, words.Keys(&v))
	return nil
}

func (s *Speaker) say(must []string, shown, keys string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = keys
	if len(must) > 0 || shown != "" {
		s.stop()
		s.must, s.shown, s.due = append(s.must, must...), shown, time.Now()
	} else if s.heard[keys] {
		return
	}
	if shown != "" {
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
		case !s.heard[s.keys]:
			text, s.heard[s.keys], s.stop = s.keys, true, stop
		}
		s.mu.Unlock()
		if text != "" {
			works := s.speak(speaking, text)
			s.mu.Lock()
			s.stop = func() {}
			if wait = 0; works {
				said()
			} else {
				wait, wake = rest, nil
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

// speak says a text, and returns when it has been said or the context has ended. It reports whether an engine works.
func (s *Speaker) speak(ctx context.Context, text string) bool {
	for _, e := range s.engines {
		if time.Now().Before(e.until) {
			continue
		}
		limited, cancel := context.WithTimeoutCause(ctx, patience+slowest*time.Duration(len(text)), errors.New("it hangs"))
		err := e.say(limited, text)
		if limited.Err() != nil {
			err = context.Cause(limited)
		}
		cancel()
		switch {
		case ctx.Err() != nil:
			return true
		case err == nil:
			if e.failed = false; e != s.spoke {
				s.spoke = e
				s.log.Info("speaking through " + e.name)
			}
			return true
		case !e.failed && (e == s.spoke || len(s.engines) == 1):
			s.log.Warn(fmt.Sprintf("cannot speak through %s: %v", e.name, err))
		case !e.failed: // many machines have only one of the engines
			s.log.Info(fmt.Sprintf("cannot speak through %s: %v", e.name, err))
		}
		if e == s.spoke {
			s.spoke = nil
		}
		e.failed, e.until = true, time.Now().Add(rest)
	}
	return false
}
