//go:build linux

// Package kernel provides the stock Debian kernel on which the kernel tests run, and
// the project's own module for it. Everything is kept outside the repository, in the
// folder c4hat-e2e of the user's cache:
//
//	release             the kernel in use, "6.1.0-56-amd64"
//	<release>/          its package, unpacked, and vmlinux
//	<release>/*.ko      the stand-in for the LED matrix, named after its source's hash
package kernel

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/c4hat/c4hat/internal/e2e/standin"
)

// Kernel is a Debian kernel, unpacked.
type Kernel struct {
	Release string // as uname -r says it
	dir     string
}

// QEMU is the emulator that boots the kernel.
const QEMU = "qemu-system-x86_64"

// Cached returns the kernel that Prepare left, or says what is missing.
func Cached() (*Kernel, error) {
	cache, err := cacheDir()
	if err != nil {
		return nil, err
	}
	k, err := current(cache)
	if err != nil {
		return nil, err
	}
	if !exists(k.standin()) {
		return nil, fmt.Errorf("kernel: no stand-in module for kernel %s", k.Release)
	}
	return k, nil
}

// Image is the path of the kernel proper, an ELF file that QEMU takes with -kernel.
func (k *Kernel) Image() string { return filepath.Join(k.dir, "vmlinux") }

// standin is the path of the stand-in module that was built from today's source.
func (k *Kernel) standin() string {
	return filepath.Join(k.dir, standin.Module+"-"+sourceHash()+".ko")
}

func current(cache string) (*Kernel, error) {
	b, err := os.ReadFile(filepath.Join(cache, "release"))
	if err != nil {
		return nil, fmt.Errorf("kernel: no kernel in the cache: %w", err)
	}
	k := at(cache, strings.TrimSpace(string(b)))
	if !exists(k.Image()) {
		return nil, fmt.Errorf("kernel: %s is missing", k.Image())
	}
	return k, nil
}

func at(cache, release string) *Kernel {
	return &Kernel{Release: release, dir: filepath.Join(cache, release)}
}

func cacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("kernel: nowhere to keep downloads: %w", err)
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
		panic(err) // the files are part of this program
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
