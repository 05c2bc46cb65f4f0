package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

// A SIGTERM right after several SIGHUPs is not lost.
func TestStopAfterReloads(t *testing.T) {
	// Some of the signals arrive after stop, and even after the test, when they would end the program.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	for range 50 {
		ctx, stop := WithSignals(t.Context())
		AtHangUp(ctx, func() {})
		for range 50 {
			_ = syscall.Kill(syscall.Getpid(), syscall.SIGHUP)
		}
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGTERM)
		select {
		case <-ctx.Done():
		case <-time.After(time.Minute):
			t.Fatal("a SIGTERM after SIGHUPs changed nothing")
		}
		var s Signalled
		if !errors.As(context.Cause(ctx), &s) || s.Signal != syscall.SIGTERM {
			t.Fatal(context.Cause(ctx))
		}
		stop()
	}
}
