//go:build linux

// Prepare prepares a Debian machine for the tests in QEMU, as root. It skips what is already there.
// The first argument says what to prepare, the second which Debian runs in QEMU: 12, 13 (the
// default) or 13-arm64.
//
//	kernel    a kernel alone: QEMU, a kernel and the stand-in modules (the default)
//	debian    a clean Debian: its root folder
//	machine   a machine with systemd: both, and the tools to build it
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"time"

	"github.com/c4hat/c4hat/internal/dev/e2e/kernel"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, time.Hour) // emulated programs of another architecture are slow
	defer cancel()
	what, system := "kernel", "13"
	if len(os.Args) > 1 {
		what = os.Args[1]
	}
	if len(os.Args) > 2 {
		system = os.Args[2]
	}
	if err := prepare(ctx, what, system); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func prepare(ctx context.Context, what, system string) error {
	s, err := kernel.ParseSystem(system)
	if err != nil {
		return err
	}
	if what == "debian" || what == "machine" {
		if err := kernel.PrepareDebian(ctx, os.Stderr, s); err != nil {
			return err
		}
	}
	switch what {
	case "debian":
		return nil
	case "machine":
		if err := kernel.PrepareTools(ctx, os.Stderr); err != nil {
			return err
		}
	case "kernel":
	default:
		return fmt.Errorf("prepare: %q: use kernel, debian or machine", what)
	}
	k, err := kernel.Prepare(ctx, os.Stderr, s)
	if err == nil {
		fmt.Fprintf(os.Stderr, "the tests run on Linux %s\n", k.Release)
	}
	return err
}
