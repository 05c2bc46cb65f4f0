//go:build linux

package kernel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Debian returns the path of a system's archive from PrepareDebian; the error says what is
// missing.
func Debian(s System) (string, error) {
	file, err := debianFile(s)
	if err == nil && !exists(file) {
		err = fmt.Errorf("kernel: no Debian %s in the cache: %s is missing", s.Name, file)
	}
	return file, err
}

func debianFile(s System) (string, error) {
	cache, err := cacheDir()
	name := "debian-" + s.suite
	if s.foreign() {
		name += "-" + s.Arch
	} else if s.Full() {
		name += "-full"
	}
	return filepath.Join(cache, name+".tar"), err
}

// sources are the lists of packages that a release has, security updates included.
const sources = `deb http://deb.debian.org/debian SUITE main
deb http://deb.debian.org/debian SUITE-updates main
deb http://deb.debian.org/debian-security SUITE-security main
`

const included = "systemd,udev,login,passwd"

// PrepareDebian puts a small Debian with systemd and udev into the cache, as an archive
// of its root folder, unless it is there. It needs root.
func PrepareDebian(ctx context.Context, log io.Writer, s System) error {
	return locked(func(string) error { return prepareDebian(ctx, log, s) })
}

func prepareDebian(ctx context.Context, log io.Writer, s System) error {
	file, err := Debian(s)
	if err == nil {
		return nil
	}
	if os.Geteuid() != 0 {
		return errors.New("kernel: preparing Debian needs root")
	}
	fmt.Fprintf(log, "making a Debian %s\n", s.Name)
	apt := &apt{log: log}
	if s.foreign() {
		return makeForeign(ctx, apt, s, file)
	}
	if err := apt.need(ctx, "mmdebstrap", "mmdebstrap"); err != nil {
		return err
	}
	list := file[:len(file)-len(".tar")] + ".list"
	if err := os.WriteFile(list, []byte(strings.ReplaceAll(sources, "SUITE", s.suite)), 0o644); err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	defer os.Remove(list)
	unfinished := file[:len(file)-len(".tar")] + ".new.tar"
	if err := command(ctx, "mmdebstrap", "--quiet", "--variant=minbase", "--include="+included+s.more, s.suite, unfinished, list); err != nil {
		return err
	}
	return os.Rename(unfinished, file)
}

// makeForeign makes the archive of another architecture. Its programs run under QEMU, which
// proot starts: not every kernel can start them by itself (binfmt_misc).
func makeForeign(ctx context.Context, apt *apt, s System, file string) error {
	for program, pkg := range map[string]string{"debootstrap": "debootstrap", "proot": "proot", s.target.user: "qemu-user"} {
		if err := apt.need(ctx, program, pkg); err != nil {
			return err
		}
	}
	root := file[:len(file)-len(".tar")] + ".new"
	remove := func() error { // if debootstrap has failed, /proc and /sys are still mounted there
		return command(ctx, "sh", "-c", `umount -q -l "$0"/proc "$0"/sys; rm -rf --one-file-system "$0"`, root)
	}
	if err := remove(); err != nil {
		return err
	}
	defer remove()
	if err := command(ctx, "debootstrap", "--foreign", "--arch="+s.Arch, "--variant=minbase", "--include="+included, s.suite, root, "http://deb.debian.org/debian"); err != nil {
		return err
	}
	// proot crashes on systemd-tmpfiles, whose work the boot repeats. This replacement comes first
	// on the PATH of debootstrap, which does not have /usr/local.
	tmpfiles := filepath.Join(root, "usr/sbin/systemd-tmpfiles")
	if err := os.WriteFile(tmpfiles, []byte("#!/bin/sh\n"), 0o755); err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	if err := Chroot(ctx, s, root, "sh", "-c", "DEBOOTSTRAP_DIR=/debootstrap exec sh /debootstrap/debootstrap --second-stage"); err != nil {
		return err
	}
	if err := os.Remove(tmpfiles); err != nil {
		return fmt.Errorf("kernel: %w", err)
	}
	if err := command(ctx, "tar", "-C", root, "--one-file-system", "--exclude", "./dev/*", "-cf", root+".tar", "."); err != nil {
		return err
	}
	return os.Rename(root+".tar", file)
}

// Chroot runs a program in a system's root folder, as root.
func Chroot(ctx context.Context, s System, root string, args ...string) error {
	if s.foreign() {
		return command(ctx, "proot", append([]string{"-q", s.target.user, "-r", root, "-w", "/"}, args...)...)
	}
	return command(ctx, "chroot", append([]string{root}, args...)...)
}

// PrepareTools installs the programs that build and run a machine.
func PrepareTools(ctx context.Context, log io.Writer) error {
	apt := &apt{log: log}
	for program, pkg := range map[string]string{
		"mkfs.ext4": "e2fsprogs", "depmod": "kmod", "nbdkit": "nbdkit", "qemu-io": "qemu-utils",
	} {
		if err := apt.need(ctx, program, pkg); err != nil {
			return err
		}
	}
	return nil
}
