package main

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/dev/socketdir"
)

// The service notifies systemd when it is ready and when it stops. While it runs, it sends more than one
// keep-alive per watchdog interval, so that one may be late.
func TestNotify(t *testing.T) {
	t.Parallel()
	h, path := newFileHAT(t), filepath.Join(socketdir.New(t), "notify")
	socket := datagrams(t, path)
	p := start(t, nil, []string{"NOTIFY_SOCKET=" + path, "WATCHDOG_USEC=1000000"}, "c4hat", "daemon", "--fb", h.fb, "--stick", h.stick)
	hear := func(want string) {
		t.Helper()
		for got := ""; got != want; {
			got, _ = receive(t, socket)
		}
	}
	hear("READY=1")
	// On a busy machine some keep-alives are late, so wait for four in a row that arrive as fast as
	// on an idle machine.
	var alive []time.Time
	for n := 0; n < 4 || alive[n-1].Sub(alive[n-4]) > 5*time.Second/2; n = len(alive) {
		hear("WATCHDOG=1")
		alive = append(alive, time.Now())
	}
	_ = p.Process.Signal(syscall.SIGTERM)
	hear("STOPPING=1")
	if err := p.Wait(); err != nil {
		t.Errorf("%v\n%s", err, p.errs.String())
	}
}
