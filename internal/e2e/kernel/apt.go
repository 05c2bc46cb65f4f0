//go:build linux

package kernel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// apt installs and downloads Debian packages, with one refresh of the lists before the
// first.
type apt struct {
	log       io.Writer
	refreshed bool
}

// need installs a package unless its program is there.
func (a *apt) need(ctx context.Context, program, pkg string) error {
	if _, err := exec.LookPath(program); err == nil {
		return nil
	}
	return a.install(ctx, pkg)
}

// install needs root; without it the error names the command for root to run.
func (a *apt) install(ctx context.Context, pkg string) error {
	if os.Geteuid() != 0 {
		return fmt.Errorf("kernel: %s is missing; as root: apt-get update && apt-get install --no-install-recommends %[1]s", pkg)
	}
	if err := a.refresh(ctx); err != nil {
		return err
	}
	fmt.Fprintf(a.log, "installing %s\n", pkg)
	return a.get(ctx, "", "install", "--yes", "--no-install-recommends", pkg)
}

// download puts a package's file into dir and returns its path. Anybody may.
func (a *apt) download(ctx context.Context, dir, pkg string) (string, error) {
	if err := a.refresh(ctx); err != nil {
		return "", err
	}
	fmt.Fprintf(a.log, "downloading %s\n", pkg)
	if err := a.get(ctx, dir, "download", pkg); err != nil {
		return "", err
	}
	files, err := filepath.Glob(filepath.Join(dir, pkg+"_*.deb"))
	if err != nil || len(files) != 1 {
		return "", fmt.Errorf("kernel: apt-get download %s left %d files", pkg, len(files))
	}
	return files[0], nil
}

var kernelPackage = regexp.MustCompile(`(?m)^Depends:.*\blinux-image-(\d[^ ,]*)`)

// newestKernel returns the release that Debian's package linux-image-amd64 stands for.
func (a *apt) newestKernel(ctx context.Context) (string, error) {
	if err := a.refresh(ctx); err != nil {
		return "", err
	}
	const pkg = "linux-image-amd64"
	out, err := exec.CommandContext(ctx, "apt-cache", "show", "--no-all-versions", pkg).Output()
	match := kernelPackage.FindSubmatch(out)
	if err != nil || match == nil {
		return "", fmt.Errorf("kernel: apt knows no package %s; as root: apt-get update", pkg)
	}
	return string(match[1]), nil
}

// refresh fetches the package lists, which only root can. A list that cannot be had is
// passed over: the next step fails if it was needed.
func (a *apt) refresh(ctx context.Context) error {
	if a.refreshed {
		return nil
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return errors.New("kernel: no apt-get here; the kernel tests need a Debian machine")
	}
	a.refreshed = true
	if os.Geteuid() != 0 {
		return nil
	}
	fmt.Fprintln(a.log, "refreshing apt's package lists")
	if err := a.get(ctx, "", "update"); err != nil {
		fmt.Fprintln(a.log, strings.TrimSpace(err.Error()))
	}
	return ctx.Err()
}

func (a *apt) get(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "apt-get", append([]string{
		"-q", "-o", "DPkg::Lock::Timeout=120", "-o", "Acquire::Retries=3",
		// Root's download folder is closed to the user that apt fetches as.
		"-o", "APT::Sandbox::User=root"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("kernel: %s: %w\n%s", cmd, err, out)
	}
	return nil
}
