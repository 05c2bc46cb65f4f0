package main

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

const exitInterrupted = 128 + 2 // SIGINT's number everywhere

// signalled is the cause of a context that a signal ended.
type signalled struct{ os.Signal }

func (s signalled) Error() string { return fmt.Sprintf("stopped by %v", s.Signal) }

func (s signalled) number() int {
	if n, ok := s.Signal.(syscall.Signal); ok {
		return int(n)
	}
	return 0
}

// hangUp is where a context keeps what a command does at SIGHUP, instead of ending.
type hangUp struct{}

// atHangUp has f called at each SIGHUP from now on, one call after the other.
func atHangUp(ctx context.Context, f func()) {
	if at, ok := ctx.Value(hangUp{}).(*atomic.Pointer[func()]); ok {
		at.Store(&f)
	}
}

// withSignals gives a context that ends with the signals that end a program, so
// that the terminal and the LEDs are put in order first. SIGHUP is a dropped
// line (unless whoever started the program had it ignored, or see atHangUp), SIGQUIT
// Ctrl-\. More of them while that is under way change nothing, unless it takes too long.
func withSignals(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	reload := new(atomic.Pointer[func()])
	ctx = context.WithValue(ctx, hangUp{}, reload)
	// Each has a channel of its own: where one is full the next signal is dropped, and a
	// stop must not be lost behind a reload.
	ending, hungUp := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(ending, os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(hungUp, syscall.SIGHUP)
	}
	over, end := context.WithCancel(context.Background())
	unhear := func() {
		signal.Stop(ending)
		signal.Stop(hungUp)
	}
	// Not by who hears the signals: it may wait, for a matrix that is stuck, and the next
	// signal is to end the program all the same.
	hangUps := make(chan func(), 1)
	go func() {
		for {
			select {
			case f := <-hangUps:
				f()
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() {
		for {
			var s os.Signal
			select {
			case s = <-ending:
			case s = <-hungUp:
				if f := reload.Load(); f != nil {
					select {
					case hangUps <- *f:
					default: // one is still to come, which will do
					}
					continue
				}
			case <-ctx.Done():
				return
			}
			if s == os.Interrupt {
				cancel(loop.ErrInterrupted)
			} else {
				cancel(signalled{s})
			}
			select {
			case <-time.After(time.Second):
				unhear()
			case <-over.Done():
			}
			return
		}
	}()
	return ctx, func() {
		unhear()
		cancel(nil)
		end()
	}
}
