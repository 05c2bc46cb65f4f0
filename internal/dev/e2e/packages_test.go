//go:build kernel_arm64

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestPackages plays with the programs from the Debian packages for Pis on the kernel of a 64-bit
// Pi. The 32-bit program must work there too, although its ioctls and input records differ from the
// kernel's.
func TestPackages(t *testing.T) {
	for goarch, arch := range map[string]string{"arm64": "arm64", "arm": "armhf"} {
		t.Run(arch, func(t *testing.T) {
			program, version := unpackProgram(t, arch)
			Run(t, Guest{
				Package: "github.com/c4hat/c4hat/internal/dev/e2e/guest", System: "13-arm64", GOARCH: goarch,
				Files:   map[string]string{"/bin/c4hat": program},
				Args:    []string{"-version=c4hat " + version + " linux/" + goarch + " "},
				Timeout: 20 * time.Minute,
			})
		})
	}
}

// unpackProgram extracts the program from the package that make deb built from this
// source for a Debian architecture.
func unpackProgram(t *testing.T, arch string) (path, version string) {
	t.Helper()
	out, err := exec.Command("../release/version").Output()
	if err != nil {
		t.Fatal("internal/dev/release/version:", err)
	}
	version = strings.TrimSpace(string(out))
	deb, dir := filepath.Join("../../../build", "c4hat_"+version+"_"+arch+".deb"), t.TempDir()
	if _, err := os.Stat(deb); err != nil {
		unprepared(t, fmt.Sprintf("%v; first: make deb", err))
	}
	if out, err := exec.Command("dpkg-deb", "-x", deb, dir).CombinedOutput(); err != nil {
		t.Fatalf("dpkg-deb -x %s: %v: %s", deb, err, out)
	}
	return filepath.Join(dir, "usr/bin/c4hat"), version
}
