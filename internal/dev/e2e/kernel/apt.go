//go:build linux

package kernel

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// apt installs Debian packages on this machine. It refreshes the lists of packages once, before the
// first installation.
type apt struct {
	log       io.Writer
	refreshed bool
}

// need installs a package unless its program exists. The installation needs root; without it, the
// error names the command to run as root.
func (a *apt) need(ctx context.Context, program, pkg string) error {
	if _, err := exec.LookPath(program); err == nil {
		return nil
	}
	if os.Geteuid() != 0 {
		return fmt.Errorf("kernel: %s is missing; as root: apt-get update && apt-get install --no-install-recommends %[1]s", pkg)
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return fmt.Errorf("kernel: %s is missing, and apt-get as well: these tests need Debian", pkg)
	}
	if !a.refreshed {
		a.refreshed = true
		fmt.Fprintln(a.log, "refreshing apt's package lists")
		// A list that cannot be fetched is skipped: if it was needed, the next step fails.
		if err := a.get(ctx, "update"); err != nil {
			fmt.Fprintln(a.log, strings.TrimSpace(err.Error()))
		}
	}
	fmt.Fprintf(a.log, "installing %s\n", pkg)
	return a.get(ctx, "install", "--yes", "--no-install-recommends", pkg)
}

func (a *apt) get(ctx context.Context, args ...string) error {
	return command(ctx, "apt-get", append([]string{"-q", "-o", "DPkg::Lock::Timeout=600", "-o", "Acquire::Retries=3"}, args...)...)
}

// command runs a program; its output is only reported if it fails.
func command(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C",
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin") // in a chroot as well
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("kernel: %s: %w\n%s", name, err, out)
	}
	return nil
}
