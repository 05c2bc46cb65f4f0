//go:build linux

package kernel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"golang.org/x/sys/unix"
)

// Prepare provides what a test on an architecture's kernel needs: it installs QEMU and
// the build tools as Debian packages (which needs root), and puts the kernel and the
// stand-in modules into the cache. It skips what is already there and logs to log.
func Prepare(ctx context.Context, log io.Writer, goarch string) (*Kernel, error) {
	arch, err := archOf(goarch)
	if err != nil {
		return nil, err
	}
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

	here := &apt{log: log}
	if err := here.need(ctx, arch.qemu, arch.qemuPackage); err != nil {
		return nil, err
	}
	there := here // the kernel's architecture
	if arch.foreign() {
		if there, err = foreignApt(log, arch.name, filepath.Join(cache, "apt-"+arch.name)); err != nil {
			return nil, err
		}
	}
	k, err := current(cache, arch)
	// A module needs the headers of its kernel, and Debian only keeps the newest.
	if err != nil || !k.built() && !exists(k.headers()) {
		if k, err = fetch(ctx, here, there, cache, arch); err != nil {
			return nil, err
		}
	}
	if !k.built() {
		if err := k.buildStandins(ctx, here, there); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// fetch unpacks Debian's newest kernel into the cache.
func fetch(ctx context.Context, here, there *apt, cache string, arch *arch) (*Kernel, error) {
	release, err := there.newestKernel(ctx, arch.name)
	if err != nil {
		return nil, err
	}
	k := at(cache, arch, release)
	if !exists(k.Image()) {
		if err := k.unpack(ctx, here, there); err != nil {
			return nil, err
		}
	}
	if err := writeFile(filepath.Join(cache, arch.release), []byte(release+"\n")); err != nil {
		return nil, err
	}
	return k, nil
}

func (k *Kernel) unpack(ctx context.Context, here, there *apt) error {
	work, err := os.MkdirTemp(filepath.Dir(k.dir), "unpack-")
	if err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	defer os.RemoveAll(work)
	tree := filepath.Join(work, "tree")
	if err := there.unpack(ctx, work, tree, "linux-image-"+k.Release); err != nil {
		return err
	}
	image, err := os.ReadFile(filepath.Join(tree, "boot/vmlinuz-"+k.Release))
	if err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	if !k.arch.foreign() {
		image, err = k.unpackImage(ctx, here, image)
	} else if !bytes.HasPrefix(image[min(len(image), 56):], []byte("ARM\x64")) {
		// Documentation/arch/arm64/booting.rst in the kernel's source.
		err = fmt.Errorf("kernel: vmlinuz-%s is not an uncompressed arm64 image", k.Release)
	}
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(tree, k.arch.image), image, 0o644); err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	if err := os.RemoveAll(k.dir); err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	return os.Rename(tree, k.dir)
}

// unpackImage extracts the kernel from a bzImage.
func (k *Kernel) unpackImage(ctx context.Context, here *apt, image []byte) ([]byte, error) {
	if packed, err := payload(image); err == nil {
		if tool, _ := unpacker(packed); tool != "" {
			if err := here.need(ctx, tool, map[string]string{"xz": "xz-utils", "zstd": "zstd"}[tool]); err != nil {
				return nil, err
			}
		}
	}
	return vmlinux(ctx, image)
}

// lock serializes preparations of the same cache.
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

// writeFile replaces a file atomically.
func writeFile(path string, b []byte) error {
	if err := os.WriteFile(path+".new", b, 0o644); err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	return os.Rename(path+".new", path)
}

// command runs a program in dir; its output is only reported if it fails.
func command(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("kernel: %s: %w\n%s", cmd, err, out)
	}
	return nil
}
