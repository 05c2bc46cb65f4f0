//go:build linux

package kernel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/c4hat/c4hat/internal/e2e/standin"
)

// Prepare gets what a kernel test needs and is not there yet: QEMU and the kernel's
// headers as Debian packages (as root only), the kernel itself and the stand-in module
// into the cache. It says on log what it does, and does nothing the second time.
func Prepare(ctx context.Context, log io.Writer) (*Kernel, error) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return nil, fmt.Errorf("kernel: the kernel tests need Debian on amd64, this is %s on %s", runtime.GOOS, runtime.GOARCH)
	}
	cache, err := cacheDir()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, fmt.Errorf("kernel: %w", err)
	}
	unlock, err := lock(filepath.Join(cache, "lock"))
	if err != nil {
		return nil, err
	}
	defer unlock()

	apt := &apt{log: log}
	if err := apt.need(ctx, QEMU, "qemu-system-x86"); err != nil {
		return nil, err
	}
	k, err := current(cache)
	// A module can only be built for a kernel whose headers are to be had, and Debian
	// keeps those of the newest.
	if err != nil || !exists(k.standin()) && !exists(k.headers()) {
		if k, err = fetch(ctx, apt, cache); err != nil {
			return nil, err
		}
	}
	if !exists(k.standin()) {
		if err := k.buildStandin(ctx, apt); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// fetch unpacks Debian's newest kernel into the cache.
func fetch(ctx context.Context, apt *apt, cache string) (*Kernel, error) {
	release, err := apt.newestKernel(ctx)
	if err != nil {
		return nil, err
	}
	k := at(cache, release)
	if !exists(k.Image()) {
		if err := k.unpack(ctx, apt); err != nil {
			return nil, err
		}
	}
	if err := writeFile(filepath.Join(cache, "release"), []byte(release+"\n")); err != nil {
		return nil, err
	}
	return k, nil
}

func (k *Kernel) unpack(ctx context.Context, apt *apt) error {
	work, err := os.MkdirTemp(filepath.Dir(k.dir), "unpack-")
	if err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	defer os.RemoveAll(work)
	deb, err := apt.download(ctx, work, "linux-image-"+k.Release)
	if err != nil {
		return err
	}
	tree := filepath.Join(work, "tree")
	if err := command(ctx, work, "dpkg-deb", "-x", deb, tree); err != nil {
		return err
	}
	image, err := os.ReadFile(filepath.Join(tree, "boot/vmlinuz-"+k.Release))
	if err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	if packed, err := payload(image); err == nil {
		if tool, _ := unpacker(packed); tool != "" {
			if err := apt.need(ctx, tool, map[string]string{"xz": "xz-utils", "zstd": "zstd"}[tool]); err != nil {
				return err
			}
		}
	}
	elf, err := vmlinux(ctx, image)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tree, "vmlinux"), elf, 0o644); err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	if err := os.RemoveAll(k.dir); err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	return os.Rename(tree, k.dir)
}

// headers is where Debian's package puts what a module is built against.
func (k *Kernel) headers() string { return "/usr/src/linux-headers-" + k.Release }

func (k *Kernel) buildStandin(ctx context.Context, apt *apt) error {
	if !exists(k.headers()) {
		if err := apt.install(ctx, "linux-headers-"+k.Release); err != nil {
			return err
		}
	}
	if err := apt.need(ctx, "make", "make"); err != nil {
		return err
	}
	work, err := os.MkdirTemp(k.dir, "build-")
	if err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	defer os.RemoveAll(work)
	source, err := fs.Sub(standin.Source, "module")
	if err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	if err := os.CopyFS(work, source); err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	fmt.Fprintf(apt.log, "building the stand-in module for kernel %s\n", k.Release)
	if err := command(ctx, work, "make", "-C", k.headers(), "M="+work, "ARCH=x86", "modules"); err != nil {
		return err
	}
	return os.Rename(filepath.Join(work, standin.Module+".ko"), k.standin())
}

// lock keeps two preparations of one cache apart.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("kernel: %w", err)
	}
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("kernel: lock %s: %w", path, err)
	}
	return func() { f.Close() }, nil
}

// writeFile replaces a file in one step.
func writeFile(path string, b []byte) error {
	if err := os.WriteFile(path+".new", b, 0o644); err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	return os.Rename(path+".new", path)
}

// command runs a program in dir; what it printed is told only when it failed.
func command(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("kernel: %s: %w\n%s", cmd, err, out)
	}
	return nil
}
