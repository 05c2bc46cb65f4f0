//go:build linux

// Prepare gets a Debian machine ready for the tests in QEMU. What is there already it
// leaves alone. Its argument says for which:
//
//	kernel    those on a kernel alone: QEMU, a kernel and the stand-in module; without
//	          an argument too
//	arm64     the same for the kernel of a 64-bit Pi
//	debian    those in a clean Debian: its root folder
//	machine   those on a machine with systemd: both, and the tools to build it
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
