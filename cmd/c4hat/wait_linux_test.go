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

// patience is how long something may take that comes, unless it never does: the machine
// may be slow, or busy with other tests, or have been away itself.
const patience = time.Minute

// eventually waits until something is so. why is what to say if it never is.
func eventually(t testing.TB, ok func() bool, why func() string) {
	t.Helper()
	deadline := time.Now().Add(patience)
	// Seldom enough that many tests at once leave the programs something of the machine.
	for pause := time.Millisecond; ; pause = min(pause*5/4+1, 20*time.Millisecond) {
		late := time.Now().After(deadline) // asked before the last look, which a pause of this process may delay
		if ok() {
			return
		}
		if late {
			t.Fatal(why())
		}
		time.Sleep(pause)
	}
}

// printed is what a program prints, which may be read meanwhile.
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

// testEnvironment is that of the tests, less what would have a program look different, or
// speak to whoever looks after the tests.
func testEnvironment(more ...string) []string {
	heedHangUp()
	env := os.Environ()
	for _, name := range []string{"NO_COLOR", "COLORTERM", "LANGUAGE", "JOURNAL_STREAM", "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"} {
		env = append(env, name+"=")
	}
	return append(env, more...)
}

// heedHangUp has programs hear SIGHUP also where the tests are run by nohup(1): what is
// ignored stays so in a child, unless somebody listens here.
var heedHangUp = sync.OnceFunc(func() {
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
})
