//go:build linux

// Prepare prepares a Debian machine for the tests in QEMU. It skips what is already
// there. Its argument selects the tests:
//
//	kernel    on a kernel alone: QEMU, a kernel and the stand-in modules (the default)
//	arm64     the same for the kernel of a 64-bit Pi
//	debian    in a clean Debian: its root folder
//	machine   on a machine with systemd: both, and the tools to build it
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
	what := "kernel"
	if len(os.Args) > 1 {
		what = os.Args[1]
	}
	if err := prepare(ctx, what); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func prepare(ctx context.Context, what string) error {
	if what == "debian" || what == "machine" {
		if err := kernel.PrepareDebian(ctx, os.Stderr); err != nil {
			return err
		}
	}
	arch := "amd64"
	switch what {
	case "debian":
		return nil
	case "machine":
		if err := kernel.PrepareTools(ctx, os.Stderr); err != nil {
			return err
		}
	case "kernel":
	case "arm64":
		arch = what
	default:
		return fmt.Errorf("prepare: %q: want kernel, arm64, debian or machine", what)
	}
	k, err := kernel.Prepare(ctx, os.Stderr, arch)
	if err == nil {
		fmt.Fprintf(os.Stderr, "the tests run on Linux %s\n", k.Release)
	}
	return err
}
