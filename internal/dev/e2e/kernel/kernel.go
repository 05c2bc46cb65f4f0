//go:build linux

// Package kernel provides the stock Debian systems on which the tests in QEMU run, their kernels,
// and the project's modules for these kernels. Everything is kept outside the repository, in the
// folder c4hat-e2e of the user's cache:
//
//	debian-trixie.tar       a small Debian: its root folder
//	workshop-trixie/        the same Debian with a compiler and the kernel's headers
//	trixie-amd64/           the kernel's package, unpacked, and vmlinux or Image
//	trixie-amd64/release    the kernel's release, "6.12.117+deb13-amd64"
//	trixie-amd64/*.ko       the stand-in modules, with the hash of their source in the name
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

	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
)

// Kernel is a Debian kernel, unpacked.
type Kernel struct {
	Release string // as printed by uname -r
	System  System
	dir     string
}

// Cached returns the kernel that Prepare has cached for a system; the error says what is missing.
func Cached(s System) (*Kernel, error) {
	cache, err := cacheDir()
	if err != nil {
		return nil, err
	}
	k, err := cached(cache, s)
	if err == nil && !k.built() {
		err = fmt.Errorf("kernel: no stand-in modules for kernel %s", k.Release)
	}
	return k, err
}

func cached(cache string, s System) (*Kernel, error) {
	k := &Kernel{System: s, dir: filepath.Join(cache, s.suite+"-"+s.Arch)}
	release, err := os.ReadFile(filepath.Join(k.dir, "release"))
	if err != nil {
		return nil, fmt.Errorf("kernel: no kernel in the cache: %w", err)
	}
	k.Release = strings.TrimSpace(string(release))
	return k, nil
}

// QEMU returns the name of the emulator that boots the kernel.
func (k *Kernel) QEMU() string { return k.System.target.qemu }

// Image returns the path of the unpacked kernel, for QEMU's option -kernel.
func (k *Kernel) Image() string { return filepath.Join(k.dir, k.System.target.image) }

// standins returns the modules that stand in for the HAT.
func standins() []string { return []string{standin.Module, standin.Board} }

// standin returns the path of a stand-in module built from the current source.
func (k *Kernel) standin(module string) string {
	return filepath.Join(k.dir, module+"-"+sourceHash()+".ko")
}

// built reports whether all stand-in modules are built.
func (k *Kernel) built() bool {
	return !slices.ContainsFunc(standins(), func(module string) bool { return !exists(k.standin(module)) })
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
		panic(err) // impossible: the files are embedded
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
