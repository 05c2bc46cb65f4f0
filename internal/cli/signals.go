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
type Signalled struct{ os.Signal }

func (s Signalled) Error() string { return fmt.Sprintf("stopped by %v", s.Signal) }

func (s Signalled) Number() int {
	if n, ok := s.Signal.(syscall.Signal); ok {
		return int(n)
	}
	return 0
}

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
	reload := new(atomic.Pointer[func()])
	ctx = context.WithValue(ctx, hangUp{}, reload)
	// Two channels: a full one drops the next signal, and a stop must not be lost behind a
	// reload.
	ending, hungUp := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(ending, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(hungUp, syscall.SIGHUP)
	}
	done, end := context.WithCancel(context.Background())
	stopListening := func() {
		signal.Stop(ending)
		signal.Stop(hungUp)
	}
	stop := func(s os.Signal) {
		if s == os.Interrupt {
			cancel(loop.ErrInterrupted)
		} else {
			cancel(Signalled{s})
		}
		select {
		case <-time.After(time.Second):
			stopListening()
		case <-done.Done():
		}
	}
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
			case s := <-hungUp:
				f := reload.Load()
				if f == nil {
					stop(s)
					return
				}
				(*f)()
			case <-ctx.Done():
				return
			}
		}
	}()
	return ctx, func() {
		stopListening()
		cancel(nil)
		end()
	}
}
