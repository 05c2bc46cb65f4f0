//go:build linux

// Prepare gets a Debian machine ready for the kernel tests: QEMU, a kernel and the
// stand-in module. What is there already it leaves alone.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/c4hat/c4hat/internal/e2e/kernel"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, 15*time.Minute)
	defer cancel()
	k, err := kernel.Prepare(ctx, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Fprintf(os.Stderr, "the kernel tests run on Linux %s\n", k.Release)
}
