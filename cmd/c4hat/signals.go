package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
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

// withSignals gives a context that ends with the signals that end a program, so
// that the terminal and the LEDs are put in order first. SIGHUP is a dropped
// line (unless whoever started the program had it ignored), SIGQUIT Ctrl-\. More
// of them while that is under way change nothing, unless it takes too long.
func withSignals(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	received := make(chan os.Signal, 1)
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	signal.Notify(received, signals...)
	go func() {
		select {
		case s := <-received:
			time.AfterFunc(time.Second, func() { signal.Stop(received) })
			if s == os.Interrupt {
				cancel(loop.ErrInterrupted)
			} else {
				cancel(signalled{s})
			}
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(received)
		cancel(nil)
	}
}
