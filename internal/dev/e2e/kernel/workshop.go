//go:build linux

package kernel

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
)

// workshop is a Debian of the kernel's release, in which modules are built with that release's
// compiler, whatever system this machine runs. It is a chroot, so it needs root.
type workshop struct {
	root   string
	system System
	log    io.Writer
}

// openWorkshop unpacks the workshop, unless it already exists.
func openWorkshop(ctx context.Context, log io.Writer, cache string, s System) (*workshop, error) {
	w := &workshop{root: filepath.Join(cache, "workshop-"+s.suite), system: s, log: log}
	if exists(w.root) {
		return w, nil
	}
	debian, err := debianFile(System{suite: s.suite, Arch: "amd64"})
	if err != nil {
		return nil, err
	}
	unfinished := w.root + ".new"
	if err := os.RemoveAll(unfinished); err != nil {
		return nil, err
	}
	if err := Unpack(ctx, debian, unfinished); err != nil {
		return nil, err
	}
	return w, os.Rename(unfinished, w.root)
}

// Unpack unpacks a Debian's root folder. Containers may not create devices; for programs in a
// chroot a plain file suffices as /dev/null.
func Unpack(ctx context.Context, debian, root string) error {
	if err := os.Mkdir(root, 0o755); err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	if err := command(ctx, "tar", "-xf", debian, "-C", root, "--exclude", "./dev/*"); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, "dev/null"), nil, 0o666)
}

// run runs a shell script in the workshop.
func (w *workshop) run(ctx context.Context, script string, args ...string) error {
	// The name servers may have changed since the workshop was unpacked.
	if resolv, err := os.ReadFile("/etc/resolv.conf"); err == nil {
		if err := os.WriteFile(filepath.Join(w.root, "etc/resolv.conf"), resolv, 0o644); err != nil {
			return fmt.Errorf("kernel: %w", err)
		}
	}
	native := System{Arch: "amd64"}
	return Chroot(ctx, native, w.root, append([]string{"sh", "-c", "set -e\n" + script, "sh"}, args...)...)
}

// fetch unpacks Debian's newest kernel in /kernel, and installs what its modules are built
// with. The headers are unpacked, not installed: for another architecture they would need
// its compiler. In Debian 12 they have files in /lib, which must stay a link.
const fetch = `
arch=$1 compiler=$2
get() { apt-get -q -o Acquire::Retries=3 -o APT::Sandbox::User=root "$@"; }
needs() { apt-cache show --no-all-versions "$1:$arch" | sed -n "s/^Depends:.*\b\($2[^ ,]*\).*/\1/p"; }
dpkg --add-architecture $arch
get update
release=$(needs linux-image-$arch 'linux-image-[0-9]')
release=${release#linux-image-}
common=linux-headers-${release%$arch}common
get install --yes --no-install-recommends make $compiler $(needs linux-headers-$release linux-kbuild-)
rm -rf /kernel && mkdir /kernel && cd /kernel
get download linux-image-$release:$arch linux-headers-$release:$arch $common
for deb in linux-headers-*.deb; do dpkg-deb --fsys-tarfile $deb | tar -x --keep-directory-symlink -C /; done
dpkg-deb -x linux-image-*.deb .
rm ./*.deb
mv boot/vmlinuz-$release vmlinuz
echo $release >release
apt-get clean`

// fetch puts Debian's newest kernel into the cache.
func (w *workshop) fetch(ctx context.Context, here *apt, dir string) error {
	fmt.Fprintf(w.log, "getting the kernel of Debian %s and what builds its modules\n", w.system.Name)
	if err := w.run(ctx, fetch, w.system.Arch, w.system.target.compiler); err != nil {
		_ = os.RemoveAll(w.root) // do not leave it half done
		return err
	}
	kernel := filepath.Join(w.root, "kernel")
	image, err := os.ReadFile(filepath.Join(kernel, "vmlinuz"))
	if err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	if !w.system.foreign() {
		image, err = unpackImage(ctx, here, image)
	} else if !bytes.HasPrefix(image[min(len(image), 56):], []byte("ARM\x64")) {
		// Documentation/arch/arm64/booting.rst in the kernel's source.
		err = fmt.Errorf("kernel: vmlinuz of Debian %s is not an uncompressed arm64 image", w.system.Name)
	}
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(kernel, w.system.target.image), image, 0o644); err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	return os.Rename(kernel, dir)
}

// buildStandins builds the stand-in modules from the current source.
func (w *workshop) buildStandins(ctx context.Context, k *Kernel) error {
	fmt.Fprintf(w.log, "building the stand-in modules for kernel %s\n", k.Release)
	work := filepath.Join(w.root, "modules")
	if err := os.RemoveAll(work); err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	source, err := fs.Sub(standin.Source, "module")
	if err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	if err := os.CopyFS(work, source); err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	if err := w.run(ctx, `exec make "$@" M=/modules modules`, append([]string{"-C", "/usr/src/linux-headers-" + k.Release}, k.System.target.make...)...); err != nil {
		return err
	}
	for _, module := range standins() {
		if err := os.Rename(filepath.Join(work, module+".ko"), k.standin(module)); err != nil {
			return err
		}
	}
	return nil
}
