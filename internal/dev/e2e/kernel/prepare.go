//go:build linux

package kernel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"golang.org/x/sys/unix"
)

// Prepare provides what a test on a system's kernel needs: it installs QEMU as a Debian
// package, and puts the kernel and the stand-in modules into the cache. It skips what is
// already there, needs root for the rest, and logs to log.
func Prepare(ctx context.Context, log io.Writer, s System) (k *Kernel, err error) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return nil, fmt.Errorf("kernel: the kernel tests need Debian on amd64, this is %s on %s", runtime.GOOS, runtime.GOARCH)
	}
	err = locked(func(cache string) error {
		here := &apt{log: log}
		if err := here.need(ctx, s.target.qemu, s.target.qemuPackage); err != nil {
			return err
		}
		if k, err = cached(cache, s); err == nil && k.built() {
			return nil
		}
		if os.Geteuid() != 0 {
			return errors.New("kernel: building the stand-in modules needs root")
		}
		amd64 := System{Name: s.Name, Arch: "amd64", suite: s.suite}
		if err := prepareDebian(ctx, log, amd64); err != nil {
			return err
		}
		w, err := openWorkshop(ctx, log, cache, s)
		if err != nil {
			return err
		}
		if k == nil {
			if err := w.fetch(ctx, here, filepath.Join(cache, s.suite+"-"+s.Arch)); err != nil {
				return err
			}
			if k, err = cached(cache, s); err != nil {
				return err
			}
		}
		return w.buildStandins(ctx, k)
	})
	return k, err
}

// locked calls f with the cache's folder. While f runs, no other preparation changes the folder.
func locked(f func(cache string) error) error {
	cache, err := cacheDir()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(cache, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	defer lock.Close()
	for {
		err = unix.Flock(int(lock.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("kernel: lock %s: %w", lock.Name(), err)
	}
	return f(cache)
}
