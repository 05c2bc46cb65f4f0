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
	"slices"
	"strings"
)

// apt installs and downloads Debian packages. It refreshes the lists once, before the
// first.
type apt struct {
	log       io.Writer
	refreshed bool
	private   []string // options that keep it away from the system's state
}

// foreignApt downloads packages of another architecture. It has its own lists in dir, so
// it needs neither root nor a system set up for that architecture.
func foreignApt(log io.Writer, arch, dir string) (*apt, error) {
	for _, sub := range []string{"lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return nil, fmt.Errorf("kernel: %w", err)
		}
	}
	return &apt{log: log, private: []string{
		"-o", "APT::Architecture=" + arch, "-o", "APT::Architectures=" + arch,
		"-o", "Dir::State=" + dir, "-o", "Dir::State::Lists=" + filepath.Join(dir, "lists"),
		"-o", "Dir::State::Status=/dev/null", "-o", "Dir::Cache=" + filepath.Join(dir, "cache"),
	}}, nil
}

// need installs a package unless its program exists.
func (a *apt) need(ctx context.Context, program, pkg string) error {
	if _, err := exec.LookPath(program); err == nil {
		return nil
	}
	return a.install(ctx, pkg)
}

// install needs root; otherwise the error names the command to run as root.
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

// download puts a package's file into dir and returns its path. It needs no root.
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

// unpack downloads a package into dir and unpacks its files into tree.
func (a *apt) unpack(ctx context.Context, dir, tree, pkg string) error {
	deb, err := a.download(ctx, dir, pkg)
	if err != nil {
		return err
	}
	return command(ctx, dir, "dpkg-deb", "-x", deb, tree)
}

// newestKernel returns the release that linux-image-amd64, or the same package of
// another architecture, depends on.
func (a *apt) newestKernel(ctx context.Context, arch string) (string, error) {
	return a.needs(ctx, "linux-image-"+arch, `linux-image-(\d[^ ,]*)`)
}

// needs returns the pattern's first group in the package's dependencies.
func (a *apt) needs(ctx context.Context, pkg, pattern string) (string, error) {
	if err := a.refresh(ctx); err != nil {
		return "", err
	}
	args := append([]string{"show", "--no-all-versions", pkg}, a.private...)
	out, err := exec.CommandContext(ctx, "apt-cache", args...).Output()
	match := regexp.MustCompile(`(?m)^Depends:.*\b` + pattern).FindSubmatch(out)
	if err != nil || match == nil {
		return "", fmt.Errorf("kernel: apt does not know package %s; %s", pkg, a.remedy())
	}
	return string(match[1]), nil
}

// remedy says what to do if apt does not know a package.
func (a *apt) remedy() string {
	if a.private != nil {
		return "/etc/apt must name Debian's archive, for every architecture"
	}
	return "as root: apt-get update"
}

// refresh fetches the package lists; the system's need root. A list that cannot be fetched
// is skipped: the next step fails if it was needed.
func (a *apt) refresh(ctx context.Context) error {
	if a.refreshed {
		return nil
	}
	if _, err := exec.LookPath("apt-get"); err != nil {
		return errors.New("kernel: apt-get not found; the kernel tests need Debian")
	}
	a.refreshed = true
	if a.private == nil && os.Geteuid() != 0 {
		return nil
	}
	fmt.Fprintln(a.log, "refreshing apt's package lists")
	if err := a.get(ctx, "", "update"); err != nil {
		fmt.Fprintln(a.log, strings.TrimSpace(err.Error()))
	}
	return ctx.Err()
}

func (a *apt) get(ctx context.Context, dir string, args ...string) error {
	cmd := exec.CommandContext(ctx, "apt-get", slices.Concat([]string{
		"-q", "-o", "DPkg::Lock::Timeout=120", "-o", "Acquire::Retries=3",
		// The user that apt downloads as cannot write to root's folder.
		"-o", "APT::Sandbox::User=root"}, a.private, args)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "LC_ALL=C")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("kernel: %s: %w\n%s", cmd, err, out)
	}
	return nil
}
