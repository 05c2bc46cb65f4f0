//go:build linux

package e2e

import (
	"context"

	"github.com/c4hat/c4hat/internal/dev/e2e/kernel"
	"github.com/c4hat/c4hat/internal/dev/e2e/plan"
)

// DiskBoot writes an initramfs to a file in dir. The initramfs loads modules and then boots the
// system on a disk, such as "/dev/vda".
func DiskBoot(ctx context.Context, k *kernel.Kernel, dir, disk string, modules ...string) (file string, err error) {
	a := newArchive()
	found, err := k.Modules(ctx, modules...)
	if err != nil {
		return "", err
	}
	if err := a.plan(plan.Plan{Disk: disk, Modules: a.modules(found)}); err != nil {
		return "", err
	}
	b := builder{ctx: ctx, dir: dir, archive: a}
	b.add("/init", k.System.Arch, "build", initPackage)
	if b.err != nil {
		return "", b.err
	}
	return a.write(dir)
}
