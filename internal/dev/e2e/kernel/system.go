//go:build linux

package kernel

import (
	"fmt"
	"os"
	"path/filepath"
)

// System is a Debian release on an architecture.
type System struct {
	Name   string // the release, and the architecture or how much is installed
	Arch   string // as Go and Debian call it
	suite  string // Debian's name of the release
	target target
	more   string // packages that the others do not have
}

// Raspberry Pi OS is based on Debian 13 today; on many cards it is still based on Debian 12.
var systems = []System{
	{Name: "12", Arch: "amd64", suite: "bookworm", target: amd64},
	{Name: "13", Arch: "amd64", suite: "trixie", target: amd64},
	// As on Raspberry Pi OS, cloud-init configures the first boot. Engines for speech are installed.
	{
		Name: "13-full", Arch: "amd64", suite: "trixie", target: amd64,
		more: ",cloud-init,dosfstools,mtools,speech-dispatcher-espeak-ng,espeak-ng,libpam-systemd,dbus-user-session",
	},
	{Name: "13-arm64", Arch: "arm64", suite: "trixie", target: arm64},
}

// target is what differs between architectures.
type target struct {
	qemu, qemuPackage string
	user              string   // runs programs of a foreign architecture in a chroot
	image             string   // the unpacked kernel, in the kernel's folder
	compiler          string   // Debian's package
	make              []string // variables for building a module
}

// BTF for eBPF is not used and would need another program, pahole.
var (
	amd64 = target{
		qemu: "qemu-system-x86_64", qemuPackage: "qemu-system-x86", image: "vmlinux", compiler: "gcc",
		make: []string{"ARCH=x86", "CONFIG_DEBUG_INFO_BTF_MODULES="},
	}
	arm64 = target{
		qemu: "qemu-system-aarch64", qemuPackage: "qemu-system-arm", user: "qemu-aarch64", image: "Image", compiler: "gcc-aarch64-linux-gnu",
		make: []string{"ARCH=arm64", "CROSS_COMPILE=aarch64-linux-gnu-", "CONFIG_DEBUG_INFO_BTF_MODULES="},
	}
)

// ParseSystem returns the system with a name.
func ParseSystem(name string) (System, error) {
	for _, s := range systems {
		if s.Name == name {
			return s, nil
		}
	}
	return System{}, fmt.Errorf("kernel: no system %q: use 12, 13, 13-full or 13-arm64", name)
}

// foreign reports whether the system's programs do not run on this machine, which is amd64.
func (s System) foreign() bool { return s.Arch != "amd64" }

// Full reports whether the system has what the tests of a card and of engines for speech need.
func (s System) Full() bool { return s.more != "" }

func cacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("kernel: no cache folder: %w", err)
	}
	return filepath.Join(dir, "c4hat-e2e"), nil
}
