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

// A SIGTERM right after several SIGHUPs is not lost, even while what they call hangs.
func TestStopDuringReload(t *testing.T) {
	// Some of the signals arrive after the test, when they would end the program.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	ctx, stop := WithSignals(t.Context())
	defer stop()
	began, wait := make(chan struct{}, 50), make(chan struct{})
	defer close(wait)
	AtHangUp(func() {
		began <- struct{}{}
		<-wait
	})
	for range 50 {
		_ = syscall.Kill(syscall.Getpid(), syscall.SIGHUP)
	}
	<-began
	_ = syscall.Kill(syscall.Getpid(), syscall.SIGTERM)
	select {
	case <-ctx.Done():
	case <-time.After(time.Minute):
	}
	var s Signalled
	if !errors.As(context.Cause(ctx), &s) || s.Signal != syscall.SIGTERM {
		t.Fatal("after SIGTERM: ", context.Cause(ctx))
	}
}
