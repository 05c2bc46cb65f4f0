package speech

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// mouth is an engine that takes 50 ms for each letter.
type mouth struct {
	sync.Mutex
	fails  error
	hangs  bool
	calls  int
	begun  []string
	spoken []string // to their end
}

func (m *mouth) say(ctx context.Context, text string) error {
	m.Lock()
	defer m.Unlock()
	if m.calls++; m.fails != nil {
		return m.fails
	}
	m.begun = append(m.begun, text)
	length := 50 * time.Millisecond * time.Duration(len(text))
	if m.hangs {
		length = time.Hour
	}
	m.Unlock()
	defer m.Lock()
	select {
	case <-time.After(length):
	case <-ctx.Done():
		return ctx.Err()
	}
	m.Lock()
	defer m.Unlock()
	m.spoken = append(m.spoken, text)
	return nil
}

// rest lets time pass, and changes the engine afterwards.
func (m *mouth) rest(d time.Duration, change func()) {
	time.Sleep(d)
	synctest.Wait()
	m.Lock()
	defer m.Unlock()
	change()
}

// listen runs a speaker with engines in a bubble.
func listen(t *testing.T, do func(s *Speaker, log *strings.Builder), mouths ...*mouth) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		s := NewSpeaker(Options{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))}, NewNarrator(true))
		for i, m := range mouths {
			s.engines = append(s.engines, &engine{name: fmt.Sprintf("engine %d", i), say: m.say})
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- s.Run(ctx) }()
		do(s, &log)
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

// A key is said at once, and interrupts what was said about the one before it. Of twenty fast ones, the
// first is begun and the last is said.
func TestInterrupts(t *testing.T) {
	m := &mouth{}
	listen(t, func(s *Speaker, _ *strings.Builder) {
		s.say(nil, "one", "")
		synctest.Wait()
		if !slices.Equal(m.begun, []string{"one"}) {
			t.Errorf("%q at once", m.begun)
		}
		time.Sleep(time.Second)
		for i := range 20 {
			s.say(nil, fmt.Sprint("column ", i+1), "")
			time.Sleep(60 * time.Millisecond)
		}
		time.Sleep(5 * time.Second)
	}, m)
	if !slices.Equal(m.begun, []string{"one", "column 1", "column 20"}) || !slices.Equal(m.spoken, []string{"one", "column 20"}) {
		t.Errorf("%q begun, %q said", m.begun, m.spoken)
	}
}

// No key interrupts what must be heard, and what must be heard interrupts a key. If too much waits,
// the number of the oldest texts is said.
func TestMust(t *testing.T) {
	m := &mouth{}
	listen(t, func(s *Speaker, _ *strings.Builder) {
		s.say(nil, "the cursor", "")
		synctest.Wait()
		s.say([]string{"red 4"}, "yellow", "")
		synctest.Wait()
		for _, key := range []string{"3", "2"} {
			s.say(nil, key, "")
			synctest.Wait()
		}
		time.Sleep(5 * time.Second)
		for i := range 20 {
			s.say([]string{fmt.Sprint("disc ", i)}, "", "")
			synctest.Wait()
		}
		time.Sleep(time.Minute)
	}, m)
	want := []string{"red 4", "2", "disc 0", "11 earlier messages left out", "disc 12", "disc 13", "disc 14", "disc 15", "disc 16", "disc 17", "disc 18", "disc 19"}
	if !slices.Equal(m.spoken, want) {
		t.Errorf("%q", m.spoken)
	}
}

// If an engine fails or hangs, the next one speaks. That is logged once, and the first one speaks again
// when it works.
func TestFails(t *testing.T) {
	first, second := &mouth{fails: errors.New("no sound device")}, &mouth{}
	listen(t, func(s *Speaker, log *strings.Builder) {
		for range 100 {
			s.say(nil, "a", "")
			time.Sleep(time.Second)
		}
		first.rest(0, func() {})
		if calls := first.calls; calls < 5 || calls > 11 || len(second.spoken) != 100 {
			t.Errorf("%d tries, %d spoken", calls, len(second.spoken))
		}
		first.rest(0, func() { first.fails, first.hangs = nil, true })
		s.say([]string{"b"}, "", "")
		time.Sleep(5 * time.Minute)
		s.say([]string{"b"}, "", "")
		first.rest(time.Minute, func() { first.hangs = false })
		time.Sleep(rest)
		s.say(nil, "c", "")
		time.Sleep(time.Second)
		first.rest(0, func() { first.fails = errors.New("killed") })
		s.say(nil, "d", "")
		second.rest(time.Second, func() { second.hangs = true })
		s.say([]string{"e"}, "", "")
		second.rest(9*time.Second, func() { second.hangs = false })
		second.rest(time.Minute, func() {})
		want := `level=INFO msg="cannot speak through engine 0: no sound device"
level=INFO msg="speaking through engine 1"
level=INFO msg="speaking through engine 0"
level=WARN msg="cannot speak through engine 0: killed"
level=INFO msg="speaking through engine 1"
level=WARN msg="cannot speak through engine 1: it hangs"
level=INFO msg="speaking through engine 1"
`
		if log.String() != want || !slices.Equal(first.spoken, []string{"c"}) || !slices.Equal(second.spoken[100:], []string{"b", "b", "d", "e"}) {
			t.Errorf("%s%q %q", log, first.spoken, second.spoken)
		}
	}, first, second)
}

// What the keys do is said once, after everything else: a later text about the same screen does not replace it, but
// another screen does.
func TestKeys(t *testing.T) {
	m := &mouth{}
	listen(t, func(s *Speaker, _ *strings.Builder) {
		s.say([]string{"looking back"}, "disc 7", "left and right step")
		m.rest(700*time.Millisecond, func() {})
		s.say(nil, "disc 7 of 7", "left and right step")
		m.rest(time.Minute, func() {})
		s.say(nil, "disc 6", "left and right step")
		m.rest(time.Minute, func() {})
		s.say(nil, "menu", "a press confirms")
		m.rest(0, func() {})
		s.say(nil, "red starts", "")
		m.rest(time.Minute, func() {})
		s.say(nil, "", "a press confirms")
		m.rest(time.Minute, func() {})
	}, m)
	if want := []string{"looking back", "disc 7 of 7", "left and right step", "disc 6", "red starts", "a press confirms"}; !slices.Equal(m.spoken, want) {
		t.Errorf("%q", m.spoken)
	}
}

// While no engine works, what must be heard waits. Nothing is tried if nothing is to be said.
func TestNoEngine(t *testing.T) {
	m := &mouth{fails: errors.New("not installed")}
	listen(t, func(s *Speaker, _ *strings.Builder) {
		s.say(nil, "a key", "")
		m.rest(time.Hour, func() {})
		if m.calls != 1 {
			t.Errorf("%d tries", m.calls)
		}
		s.say([]string{"kept"}, "", "")
		m.rest(time.Minute, func() { m.fails = nil })
		m.rest(2*rest, func() { m.fails = errors.New("gone"); m.calls = 0 })
		s.say([]string{"red 4"}, "yellow", "")
		for i := range 10 {
			s.say([]string{fmt.Sprint("disc ", i)}, "red", "")
		}
		m.rest(time.Hour, func() {})
		if m.calls > 361 {
			t.Errorf("%d tries", m.calls)
		}
		m.rest(0, func() { m.fails = nil })
		time.Sleep(2 * rest)
	}, m)
	want := []string{"kept", "3 earlier messages left out", "disc 2", "disc 3", "disc 4", "disc 5", "disc 6", "disc 7", "disc 8", "disc 9", "red"}
	if !slices.Equal(m.spoken, want) {
		t.Errorf("%q", m.spoken)
	}
}
