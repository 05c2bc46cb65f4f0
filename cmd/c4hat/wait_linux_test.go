package main

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long a test waits before it fails: the machine may be slow, or busy with other
// tests.
const patience = time.Minute

// eventually waits until ok returns true. If it does not do so in time, the test fails with the
// message that why returns.
func eventually(t testing.TB, ok func() bool, why func() string) {
	t.Helper()
	within(t, patience, ok, why)
}

// within is [eventually] with a given timeout.
func within(t testing.TB, patience time.Duration, ok func() bool, why func() string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	// Poll rarely enough to leave time for the programs when many tests run.
	for pause := time.Millisecond; ; pause = min(pause*5/4+1, 20*time.Millisecond) {
		late := time.Now().After(deadline) // taken before ok is called: if this process was paused, ok gets another chance
		if ok() {
			return
		}
		if late {
			t.Fatal(why())
		}
		time.Sleep(pause)
	}
}

// testEnvironment returns the environment without variables that change the output of programs or
// connect them to systemd.
func testEnvironment(more ...string) []string {
	heedHangUp()
	env := os.Environ()
	for _, name := range []string{"NO_COLOR", "COLORTERM", "LANGUAGE", "JOURNAL_STREAM", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"} {
		env = append(env, name+"=")
	}
	return append(env, more...)
}

// heedHangUp makes programs receive SIGHUP even if the tests run under nohup(1). If this process
// ignored the signal, its children would ignore it too, so it catches the signal.
var heedHangUp = sync.OnceFunc(func() {
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
})
