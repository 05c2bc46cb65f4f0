//go:build linux

package machine

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/c4hat/c4hat/internal/dev/e2e"
	"github.com/c4hat/c4hat/internal/dev/e2e/kernel"
	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
)

// Image is what machines boot from.
type Image struct {
	kernel    *kernel.Kernel
	initramfs string // boots the system on the disk
	disk      string // each machine copies it
	card      string // so does it copy this second disk, /dev/vdb, if there is one

	boot   sync.Once
	booted string // the folder of the state and the disk that machines go on from, see [Booted]
}

// These are the users in the image. Player is in the group games.
const (
	Player   = "pi"
	Stranger = "stranger"
	password = "raspberry"
)

// setUp is a script that runs in the image, after Debian and the package are installed.
var setUp = strings.NewReplacer("PLAYER", Player, "STRANGER", Stranger, "PASSWORD", password, "STANDIN", standin.Module).Replace(`
set -e
# /bin/sh prints no control codes, unlike bash.
useradd -m -s /bin/sh -G games PLAYER
useradd -m -s /bin/sh STRANGER
printf 'PLAYER:PASSWORD\nSTRANGER:PASSWORD\n' | chpasswd
echo pi >/etc/hostname
printf 'evdev\nuinput\n' >/etc/modules-load.d/hat.conf
# As on a Pi, udev loads the matrix's driver while the service is starting, or later: udev takes the
# agent's port for the HAT.
mkdir -p /etc/modprobe.d
echo 'alias virtio:d00000003v* STANDIN' >/etc/modprobe.d/hat.conf
cat >/etc/systemd/system/agent.service <<END
[Unit]
DefaultDependencies=no
After=systemd-modules-load.service
[Service]
ExecStart=/usr/local/bin/agent
[Install]
WantedBy=sysinit.target
END
systemctl enable --quiet agent.service
mkdir -p /var/log/journal /etc/systemd/system.conf.d
# On a busy host even the console may take long to appear.
printf '[Manager]\nDefaultDeviceTimeoutSec=20min\n' >/etc/systemd/system.conf.d/slow.conf
# These units take time at boot, and the tests do not need them.
systemctl mask --quiet apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer fstrim.timer e2scrub_all.timer e2scrub_reap.service \
	getty-static.service modprobe@configfs.service modprobe@drm.service modprobe@efi_pstore.service modprobe@fuse.service \
	sys-fs-fuse-connections.mount dev-hugepages.mount dev-mqueue.mount sys-kernel-debug.mount sys-kernel-tracing.mount \
	ldconfig.service systemd-journal-catalog-update.service systemd-udev-load-credentials.service
dpkg -i /c4hat.deb
rm -f /etc/apt/apt.conf.d/70debconf # apt would look for questions, in Perl
# For updates: the same package and a newer one, neither of which the machine has to decompress.
dpkg-deb -R /c4hat.deb /again
dpkg-deb --root-owner-group -Znone -b /again /c4hat.deb >/dev/null
sed -i 's/^Version: .*/&+1/' /again/DEBIAN/control
dpkg-deb --root-owner-group -Znone -b /again /newer.deb >/dev/null
rm -r /again
`)

// NewImage builds an image in dir with a Debian package of c4hat. Unless previous is "", the
// previous release's package is copied into the image for an upgrade test. Last, more, a script, runs
// in the image; the second disk is its file /card. NewImage needs root for chroot.
func NewImage(ctx context.Context, dir string, s kernel.System, deb, previous, more string) (*Image, error) {
	k, err := kernel.Cached(s)
	if err != nil {
		return nil, err
	}
	debian, err := kernel.Debian(s)
	if err != nil {
		return nil, err
	}
	i := &Image{kernel: k, disk: filepath.Join(dir, "disk")}
	modules := []string{"virtio_pci", "virtio_blk", "virtio_console", "ext4", "crc32c_generic"}
	if s.Full() {
		modules = append(modules, "vfat", "nls_cp437", "nls_ascii")
	}
	i.initramfs, err = e2e.DiskBoot(ctx, k, dir, "/dev/vda", modules...)
	if err != nil {
		return nil, err
	}
	root := filepath.Join(dir, "root")
	defer os.RemoveAll(root)
	if err := kernel.Unpack(ctx, debian, root); err != nil {
		return nil, err
	}
	if err := i.addModules(ctx, root); err != nil {
		return nil, err
	}
	if err := goBuild(ctx, s.Arch, filepath.Join(root, "usr/local/bin/agent"), "github.com/c4hat/c4hat/internal/dev/e2e/machine/inside/agent"); err != nil {
		return nil, err
	}
	for file, from := range map[string]string{"c4hat.deb": deb, "previous.deb": previous} {
		if from == "" {
			continue
		}
		if err := command(ctx, "cp", from, filepath.Join(root, file)); err != nil {
			return nil, err
		}
	}
	if err := kernel.Chroot(ctx, s, root, "sh", "-c", setUp+more); err != nil {
		return nil, err
	}
	if err := os.Rename(filepath.Join(root, "card"), filepath.Join(dir, "card")); err == nil {
		i.card = filepath.Join(dir, "card")
	}
	size := "1G"
	if s.Full() {
		size = "2G"
	}
	if err := command(ctx, "truncate", "-s", size, i.disk); err != nil {
		return nil, err
	}
	return i, command(ctx, "mkfs.ext4", "-q", "-d", root, i.disk)
}

// addModules adds the modules that are loaded later: for the HAT, another screen, a board
// without a driver and a network card.
func (i *Image) addModules(ctx context.Context, root string) error {
	names := []string{"evdev", "uinput", standin.Module, "i2c-dev", standin.Board, "dummy"}
	if i.kernel.System.Arch == "amd64" { // the others have no vfb
		names = append(names, "vfb")
	}
	if i.kernel.System.Full() {
		names = append(names, "snd-dummy")
	}
	modules, err := i.kernel.Modules(ctx, names...)
	if err != nil {
		return err
	}
	dir := filepath.Join(root, "lib/modules", i.kernel.Release, "extra")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, m := range modules {
		if err := os.WriteFile(filepath.Join(dir, m.Name+".ko"), m.Code, 0o644); err != nil {
			return err
		}
	}
	return command(ctx, "depmod", "-b", root, i.kernel.Release)
}

func goBuild(ctx context.Context, goarch, out, pkg string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-o", out, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH="+goarch)
	return run(cmd)
}

func command(ctx context.Context, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "DEBIAN_FRONTEND=noninteractive")
	return run(cmd)
}

// run runs a program; its output is only reported if it fails.
func run(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("machine: %s: %w\n%s", filepath.Base(cmd.Path), err, out)
	}
	return nil
}
