//go:build linux

// Package kernel provides the stock Debian kernel on which the kernel tests run, and
// the project's modules for it. Everything is kept outside the repository, in the
// folder c4hat-e2e of the user's cache:
//
//	release             the kernel in use, "6.1.0-56-amd64"; release-arm64 is a Pi's
//	<release>/          its package, unpacked, and vmlinux or Image
//	<release>/*.ko      the stand-in modules, with the hash of their source in the name
//	apt-arm64/          apt's lists of the other architecture's packages
package kernel

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/c4hat/c4hat/internal/e2e/standin"
)

// Kernel is a Debian kernel, unpacked.
type Kernel struct {
	Release string // as printed by uname -r
	arch    *arch
	dir     string
}

// Cached returns the kernel from Prepare for an architecture, "amd64" or "arm64"; the error
// says what is missing.
func Cached(goarch string) (*Kernel, error) {
	arch, err := archOf(goarch)
	if err != nil {
		return nil, err
	}
	cache, err := cacheDir()
	if err != nil {
		return nil, err
	}
	k, err := current(cache, arch)
	if err != nil {
		return nil, err
	}
	if !k.built() {
		return nil, fmt.Errorf("kernel: no stand-in module for kernel %s", k.Release)
	}
	return k, nil
}

// Arch is the kernel's architecture, as Go calls it.
func (k *Kernel) Arch() string { return k.arch.name }

// QEMU is the emulator that boots the kernel.
func (k *Kernel) QEMU() string { return k.arch.qemu }

// Image is the path of the unpacked kernel, for QEMU's -kernel.
func (k *Kernel) Image() string { return filepath.Join(k.dir, k.arch.image) }

// standins are the modules that stand in for the HAT.
func standins() []string { return []string{standin.Module, standin.Board} }

// standin is the path of a stand-in module built from the current source.
func (k *Kernel) standin(module string) string {
	return filepath.Join(k.dir, module+"-"+sourceHash()+".ko")
}

// built reports whether all stand-in modules are built.
func (k *Kernel) built() bool {
	return !slices.ContainsFunc(standins(), func(module string) bool { return !exists(k.standin(module)) })
}

func current(cache string, arch *arch) (*Kernel, error) {
	b, err := os.ReadFile(filepath.Join(cache, arch.release))
	if err != nil {
		return nil, fmt.Errorf("kernel: no kernel in the cache: %w", err)
	}
	k := at(cache, arch, strings.TrimSpace(string(b)))
	if !exists(k.Image()) {
		return nil, fmt.Errorf("kernel: %s is missing", k.Image())
	}
	return k, nil
}

func at(cache string, arch *arch, release string) *Kernel {
	return &Kernel{Release: release, arch: arch, dir: filepath.Join(cache, release)}
}

func cacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("kernel: no cache folder: %w", err)
	}
	return filepath.Join(dir, "c4hat-e2e"), nil
}

func sourceHash() string {
	h := sha256.New()
	err := fs.WalkDir(standin.Source, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := standin.Source.ReadFile(path)
		fmt.Fprintf(h, "%s %d\n%s", path, len(b), b)
		return err
	})
	if err != nil {
		panic(err) // the files are embedded
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
