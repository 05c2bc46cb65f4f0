//go:build linux

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/c4hat/c4hat/internal/dev/e2e/plan"
)

// handOver makes the plan's disk the root and executes its systemd. It returns only on
// failure.
func handOver(p plan.Plan) error {
	if err := loadAll(p.Modules); err != nil {
		return err
	}
	const root = "/root"
	if err := os.MkdirAll(root, 0o755); err != nil {
		return err
	}
	if err := mountDisk(p.Disk, root); err != nil {
		return fmt.Errorf("mount %s: %w", p.Disk, err)
	}
	for _, dir := range []string{"/dev", "/proc", "/sys"} {
		if err := unix.Mount(dir, root+dir, "", unix.MS_MOVE, ""); err != nil {
			return fmt.Errorf("move %s: %w", dir, err)
		}
	}
	if err := os.Chdir(root); err != nil {
		return err
	}
	if err := unix.Mount(".", "/", "", unix.MS_MOVE, ""); err != nil {
		return fmt.Errorf("move the root: %w", err)
	}
	if err := unix.Chroot("."); err != nil {
		return err
	}
	const systemd = "/lib/systemd/systemd"
	err := unix.Exec(systemd, []string{systemd}, []string{"HOME=/", "TERM=linux"})
	return fmt.Errorf("%s: %w", systemd, err)
}

// mountDisk waits for the disk, which the driver finds some time after its module is
// loaded.
func mountDisk(disk, dir string) error {
	for range 500 {
		err := unix.Mount(disk, dir, "ext4", 0, "")
		if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ENXIO) {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fs.ErrNotExist
}
