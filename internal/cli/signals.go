package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/c4hat/c4hat/internal/session"
)

// Signalled is the cause of a context that was ended by a signal other than SIGINT.
type Signalled struct{ syscall.Signal }

func (s Signalled) Error() string { return fmt.Sprintf("stopped by %v", s.Signal) }

// HungUp reports whether a dropped connection ended the program: nobody reads its output, and a write
// might block.
func HungUp(err error) bool {
	ended, ok := errors.AsType[Signalled](err)
	return ok && ended.Signal == syscall.SIGHUP
}

// hangUp is the context key of the function that is called at SIGHUP.
type hangUp struct{}

// AtHangUp makes every later SIGHUP call f; the calls do not overlap. Without AtHangUp, SIGHUP ends
// the context. ctx must come from [WithSignals].
func AtHangUp(ctx context.Context, f func()) {
	if at, ok := ctx.Value(hangUp{}).(*atomic.Pointer[func()]); ok {
		at.Store(&f)
	}
}

// WithSignals returns a context that is cancelled by the signals that would otherwise end the
// program, so that the terminal and the LEDs can be restored first. These signals are SIGINT,
// SIGTERM, SIGQUIT (Ctrl-\) and SIGHUP (a dropped connection; see also [AtHangUp]). A SIGHUP that
// was ignored when the program started stays ignored. For a second after the first signal, further
// signals are ignored; after that they end the program.
func WithSignals(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	// Two channels: a full channel drops the next signal, and a SIGHUP that waits in a channel
	// must not cause a SIGTERM to be dropped.
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
			cancel(session.ErrInterrupted)
		} else {
			cancel(Signalled{s.(syscall.Signal)})
		}
		time.AfterFunc(time.Second, stopListening)
	}
	hangUpEnds := func() { stop(syscall.SIGHUP) }
	atHangUp := new(atomic.Pointer[func()])
	atHangUp.Store(&hangUpEnds)
	listen := func(signals <-chan os.Signal, f func(os.Signal)) {
		for {
			select {
			case s := <-signals:
				f(s)
			case <-ctx.Done():
				return
			}
		}
	}
	go listen(ending, stop)
	// SIGHUP has its own goroutine: a reload may block on a matrix that hangs, and other signals
	// must still end the program.
	go listen(hungUp, func(os.Signal) { (*atHangUp.Load())() })
	return context.WithValue(ctx, hangUp{}, atHangUp), func() {
		stopListening()
		cancel(nil)
	}
}
