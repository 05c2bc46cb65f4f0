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
	late := make(chan os.Signal, 1) // catches a SIGHUP that arrives after stop
	signal.Notify(late, syscall.SIGHUP)
	defer signal.Stop(late)
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
