//go:build linux

// Init is the first process in the guest of a kernel test. It loads the plan's kernel
// modules, runs the test binary, reports the result and powers off; or it boots the
// system on a disk.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/c4hat/c4hat/internal/dev/e2e/plan"
)

func main() {
	// If init ends before this, the kernel panics and the console says why.
	defer unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
	if err := mount(); err != nil {
		fmt.Println("init:", err)
		return
	}
	p, err := readPlan()
	if err != nil {
		fmt.Println("init:", err)
		return
	}
	if p.Disk != "" {
		fmt.Println("init:", handOver(p))
		return
	}
	results, err := openResults(p.Results)
	if err != nil {
		fmt.Println("init:", err)
		return
	}
	end := plan.Passed
	if err := run(results, p); err != nil {
		end = err.Error()
	}
	// The test output may lack a final newline.
	fmt.Fprintf(results, "\n%s%s\n", plan.End, strings.ReplaceAll(end, "\n", "; "))
	// Power off only after the line has sent everything (tcdrain).
	unix.IoctlSetInt(int(results.Fd()), unix.TCSBRK, 1)
}

func mount() error {
	for _, m := range []struct{ kind, dir string }{
		{"devtmpfs", "/dev"},
		{"devpts", "/dev/pts"},
		{"tmpfs", "/dev/shm"},
		{"proc", "/proc"},
		{"sysfs", "/sys"},
		{"debugfs", "/sys/kernel/debug"},
		{"tmpfs", "/run"},
		{"tmpfs", "/tmp"},
	} {
		if err := os.MkdirAll(m.dir, 0o755); err != nil {
			return err
		}
		if err := unix.Mount(m.kind, m.dir, m.kind, 0, ""); err != nil {
			return fmt.Errorf("mount %s on %s: %w", m.kind, m.dir, err)
		}
	}
	return nil
}

// openResults opens the line to the host in raw mode.
func openResults(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_WRONLY|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	attr, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	attr.Oflag &^= unix.OPOST
	if err := unix.IoctlSetTermios(int(f.Fd()), unix.TCSETS, attr); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

func readPlan() (p plan.Plan, err error) {
	b, err := os.ReadFile(plan.Path)
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(b, &p); err != nil {
		return p, fmt.Errorf("%s: %w", plan.Path, err)
	}
	return p, nil
}

func run(results io.Writer, p plan.Plan) error {
	if err := loadAll(p.Modules); err != nil {
		return err
	}
	if err := releaseConsoles(); err != nil {
		return err
	}
	cmd := exec.Command(plan.Test, p.Args...)
	cmd.Dir = "/tmp"
	cmd.Env = []string{"PATH=/bin", "HOME=/tmp", "TMPDIR=/tmp"}
	cmd.Stdout, cmd.Stderr = results, results
	return cmd.Run()
}

func loadAll(modules []plan.Module) error {
	for _, m := range modules {
		if err := load(m); err != nil {
			return err
		}
	}
	return nil
}

func load(m plan.Module) error {
	f, err := os.Open(m.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	err = unix.FinitModule(int(f.Fd()), m.Params, 0)
	if err != nil && !errors.Is(err, unix.EEXIST) {
		return fmt.Errorf("load module %s: %w", m.Path, err)
	}
	return nil
}

// releaseConsoles unbinds the text console from the framebuffers, as the service does on a Pi: the
// console's cursor would overwrite the picture. The console's own test binds it again.
func releaseConsoles() error {
	names, err := filepath.Glob("/sys/class/vtconsole/vtcon*/name")
	if err != nil {
		return err
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if !strings.Contains(string(b), "frame buffer") {
			continue
		}
		bind := filepath.Join(filepath.Dir(name), "bind")
		if err := os.WriteFile(bind, []byte("0"), 0); err != nil {
			return fmt.Errorf("unbind the console: %w", err)
		}
	}
	return nil
}
