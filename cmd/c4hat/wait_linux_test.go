package main

import (
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long a test waits for something: the machine may be slow, busy with other
// tests, or suspended.
const patience = time.Minute

// eventually waits for a condition. why is the message if it never holds.
func eventually(t testing.TB, ok func() bool, why func() string) {
	t.Helper()
	within(t, patience, ok, why)
}

// within is eventually with a time of its own.
func within(t testing.TB, patience time.Duration, ok func() bool, why func() string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	// Polls are rare enough to leave the programs time while many tests run.
	for pause := time.Millisecond; ; pause = min(pause*5/4+1, 20*time.Millisecond) {
		late := time.Now().After(deadline) // before the last check, which a pause of this process may delay
		if ok() {
			return
		}
		if late {
			t.Fatal(why())
		}
		time.Sleep(pause)
	}
}

// printed is what a program has printed; it may be read while the program runs.
type printed struct {
	mu   sync.Mutex
	text strings.Builder
}

func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

func (p *printed) Len() int { return len(p.String()) }

// testEnvironment is the environment without variables that change the output, or that
// connect the program to the service manager of the tests.
func testEnvironment(more ...string) []string {
	heedHangUp()
	env := os.Environ()
	for _, name := range []string{"NO_COLOR", "COLORTERM", "LANGUAGE", "JOURNAL_STREAM", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"} {
		env = append(env, name+"=")
	}
	return append(env, more...)
}

// heedHangUp makes programs receive SIGHUP even if the tests run under nohup(1): children
// inherit an ignored signal, unless this process catches it.
var heedHangUp = sync.OnceFunc(func() {
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
})
