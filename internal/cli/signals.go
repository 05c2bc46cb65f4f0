package cli

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/c4hat/c4hat/internal/loop"
)

// Signalled is the cause of a context that a signal ended.
type Signalled struct{ syscall.Signal }

func (s Signalled) Error() string { return fmt.Sprintf("stopped by %v", s.Signal) }

// hangUp is the context key of the function to call at SIGHUP.
type hangUp struct{}

// AtHangUp calls f at each SIGHUP from now on, one call after the other. Without it SIGHUP
// ends the command.
func AtHangUp(ctx context.Context, f func()) {
	if at, ok := ctx.Value(hangUp{}).(*atomic.Pointer[func()]); ok {
		at.Store(&f)
	}
}

// WithSignals returns a context that ends with the signals that end a program, so that
// the terminal and the LEDs can be restored first. They include SIGHUP, a dropped connection
// (unless the program was started with SIGHUP ignored; see also [AtHangUp]), and SIGQUIT,
// Ctrl-\. Further signals are ignored for a second; after that they end the program as usual.
func WithSignals(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	// Two channels: a full one drops the next signal, and a stop must not be lost behind a
	// reload.
	ending, hungUp := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(ending, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(hungUp, syscall.SIGHUP)
	}
	stopListening := func() {
		signal.Stop(ending)
		signal.Stop(hungUp)
	}
	stop := func(s os.Signal) {
		if s == os.Interrupt {
			cancel(loop.ErrInterrupted)
		} else {
			cancel(Signalled{s.(syscall.Signal)})
		}
		time.AfterFunc(time.Second, stopListening)
	}
	hangUpEnds := func() { stop(syscall.SIGHUP) }
	atHangUp := new(atomic.Pointer[func()])
	atHangUp.Store(&hangUpEnds)
	go func() {
		select {
		case s := <-ending:
			stop(s)
		case <-ctx.Done():
		}
	}()
	// In its own goroutine: a reload may wait for a matrix that is stuck, and the next signal
	// must still end the program.
	go func() {
		for {
			select {
			case <-hungUp:
				(*atHangUp.Load())()
			case <-ctx.Done():
				return
			}
		}
	}()
	return context.WithValue(ctx, hangUp{}, atHangUp), func() {
		stopListening()
		cancel(nil)
	}
}
