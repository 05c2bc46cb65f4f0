//go:build linux

package kernel

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/c4hat/c4hat/internal/e2e/standin"
)

// headers is the folder that modules are built against: where Debian's package puts it,
// below the kernel's folder for another architecture.
func (k *Kernel) headers() string {
	dir := "/usr/src/linux-headers-" + k.Release
	if k.arch.foreign() {
		return filepath.Join(k.ownHeaders(), dir)
	}
	return dir
}

func (k *Kernel) ownHeaders() string { return filepath.Join(k.dir, "headers") }

// commonHeaders names the package of headers that a release has for all architectures,
// and its folder.
func (k *Kernel) commonHeaders() string {
	return "linux-headers-" + strings.TrimSuffix(k.Release, k.arch.name) + "common"
}

// getHeaders gets the headers. For another architecture they are unpacked, not installed,
// next to the build tools: those are for this machine, and symbolic links in the headers
// point to them.
func (k *Kernel) getHeaders(ctx context.Context, here, there *apt) error {
	pkg := "linux-headers-" + k.Release
	if !k.arch.foreign() {
		return here.install(ctx, pkg)
	}
	programs, err := there.needs(ctx, pkg, `(linux-kbuild-[^ ,]*)`)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp(k.dir, "headers-")
	if err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	defer os.RemoveAll(work)
	tree := filepath.Join(work, "tree")
	for _, p := range []struct {
		*apt
		name string
	}{{there, pkg}, {there, k.commonHeaders()}, {here, programs}} {
		if err := p.unpack(ctx, work, tree, p.name); err != nil {
			return err
		}
	}
	return os.Rename(tree, k.ownHeaders())
}

// buildStandins builds the stand-in modules from the current source.
func (k *Kernel) buildStandins(ctx context.Context, here, there *apt) error {
	if !exists(k.headers()) {
		if err := k.getHeaders(ctx, here, there); err != nil {
			return err
		}
	}
	if err := here.need(ctx, "make", "make"); err != nil {
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
	args := append([]string{"-C", k.headers(), "M=" + work}, k.arch.make...)
	if k.arch.foreign() {
		if err := here.need(ctx, k.arch.compiler, k.arch.gccPackage); err != nil {
			return err
		}
		// The headers' Makefile includes this one from where it would be installed.
		args = append(args, "-f", filepath.Join(k.ownHeaders(), "usr/src", k.commonHeaders(), "Makefile"))
	}
	fmt.Fprintf(here.log, "building the stand-in modules for kernel %s\n", k.Release)
	if err := command(ctx, work, "make", append(args, "modules")...); err != nil {
		return err
	}
	for _, module := range standins() {
		if err := os.Rename(filepath.Join(work, module+".ko"), k.standin(module)); err != nil {
			return err
		}
	}
	return nil
}
