//go:build linux

package kernel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// debian is the release in the cache.
const debian = "bookworm"

// Debian returns the path of the archive from PrepareDebian; the error says what is
// missing.
func Debian() (string, error) {
	file, err := debianFile()
	if err == nil && !exists(file) {
		err = fmt.Errorf("kernel: no Debian in the cache: %s is missing", file)
	}
	return file, err
}

func debianFile() (string, error) {
	cache, err := cacheDir()
	return filepath.Join(cache, "debian-"+debian+".tar"), err
}

// PrepareDebian puts a small Debian with systemd and udev into the cache, as an archive
// of its root folder, unless it is there. It needs root.
func PrepareDebian(ctx context.Context, log io.Writer) error {
	if os.Geteuid() != 0 {
		return errors.New("kernel: preparing Debian needs root")
	}
	file, err := debianFile()
	if err != nil {
		return err
	}
	cache := filepath.Dir(file)
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	unlock, err := lock(filepath.Join(cache, "lock"))
	if err != nil {
		return err
	}
	defer unlock()
	if exists(file) {
		return nil
	}
	apt := &apt{log: log}
	if err := apt.need(ctx, "mmdebstrap", "mmdebstrap"); err != nil {
		return err
	}
	fmt.Fprintf(log, "making a Debian %s\n", debian)
	unfinished := file[:len(file)-len(".tar")] + ".new.tar"
	if err := command(ctx, cache, "mmdebstrap", "--quiet", "--variant=minbase", "--include=systemd,udev", debian, unfinished); err != nil {
		return err
	}
	return os.Rename(unfinished, file)
}

// PrepareTools installs the programs that build and run a machine.
func PrepareTools(ctx context.Context, log io.Writer) error {
	apt := &apt{log: log}
	for program, pkg := range map[string]string{
		"mkfs.ext4": "e2fsprogs", "depmod": "kmod", "nbdkit": "nbdkit",
	} {
		if err := apt.need(ctx, program, pkg); err != nil {
			return err
		}
	}
	return nil
}
