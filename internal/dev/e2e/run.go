//go:build linux

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/dev/e2e/kernel"
	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
)

// Guest is a machine that boots, runs one package's tests and powers off.
type Guest struct {
	// Package holds the tests. It is built with the tag "guest". Its tests run as root,
	// sequentially (none may call t.Parallel: there is one HAT).
	Package string
	// System is the Debian release whose kernel is booted: "12", "13" or "13-arm64".
	System string
	// GOARCH is the architecture of the test binary and the programs. Empty means the kernel's; its
	// 32-bit counterpart, 386 or arm, is allowed too.
	GOARCH string
	// Programs are built for the guest: path in the guest → package.
	Programs map[string]string
	// Files are copied into the guest as executables: path in the guest → path on the host.
	Files map[string]string
	// Modules are loaded in this order, after their dependencies, each with its parameters, as in
	// "vfb vfb_enable=1". Nil means DefaultModules.
	Modules []string
	// KernelArgs are added to the kernel's command line.
	KernelArgs []string
	// Args are the test binary's arguments, such as "-test.run=Stick".
	Args []string
	// Timeout limits the tests, not the boot; 0 means ten minutes.
	Timeout time.Duration
}

// DefaultModules are the modules for the joystick and the LED matrix.
var DefaultModules = []string{"evdev", "uinput", standin.Module}

// bootTimeout is more than a hundred times what a boot takes on an idle machine.
const bootTimeout = 20 * time.Minute

// Run boots the guest and reports each of its tests as a subtest of t. If QEMU or the
// kernel is missing, it skips t, or fails it if CI=true.
func Run(t *testing.T, g Guest) {
	t.Helper()
	if g.Modules == nil {
		g.Modules = DefaultModules
	}
	if g.Timeout == 0 {
		g.Timeout = 10 * time.Minute
	}
	k := prepared(t, g.System)
	if g.GOARCH == "" {
		g.GOARCH = k.System.Arch
	}
	dir := t.TempDir()
	initramfs, err := g.initramfs(t.Context(), k, dir)
	if err != nil {
		t.Fatal(err)
	}
	console := filepath.Join(dir, "console")
	defer func() {
		if t.Failed() {
			t.Logf("the end of the guest's console:\n%s", Tail(console, 60))
		}
	}()

	ctx, cancel := context.WithTimeout(t.Context(), bootTimeout+g.Timeout)
	defer cancel()
	vm := qemu(ctx, k, initramfs, console, g.KernelArgs)
	out, err := vm.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var complaint bytes.Buffer
	vm.Stderr = &complaint
	start := time.Now()
	if err := vm.Start(); err != nil {
		t.Fatal(err)
	}
	r, err := convert(out)
	if err != nil {
		t.Fatal(err)
	}
	ran := report(t, "", r.events)
	err = vm.Wait()
	t.Logf("%d guest tests on Linux %s (%s) in %.1f s", ran, k.Release, g.GOARCH, time.Since(start).Seconds())

	switch {
	case ctx.Err() != nil:
		t.Errorf("the guest was stopped after %.0f s", time.Since(start).Seconds())
	case err != nil:
		t.Errorf("QEMU: %v\n%s", err, complaint.Bytes())
	default:
		if err := r.verdict(ran); err != nil {
			t.Error(err)
		}
	}
}

// prepared returns the kernel to boot, or ends the test.
func prepared(t *testing.T, system string) *kernel.Kernel {
	t.Helper()
	s, err := kernel.ParseSystem(system)
	if err != nil {
		t.Fatal(err)
	}
	k, err := kernel.Cached(s)
	if err == nil {
		_, err = exec.LookPath(k.QEMU())
	}
	if err == nil {
		return k
	}
	unprepared(t, fmt.Sprintf("%v; first, as root: go run github.com/c4hat/c4hat/internal/dev/e2e/prepare kernel %s", err, system))
	return nil
}

// unprepared skips a test whose prerequisites are missing, or fails it if CI=true.
func unprepared(t *testing.T, reason string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(reason)
	}
	t.Skip(reason)
}

// Tail returns the last lines of a file, or the error of reading it.
func Tail(file string, lines int) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
