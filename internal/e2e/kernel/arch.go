//go:build linux

package kernel

import "fmt"

// arch is what differs between kernel architectures when preparing one.
type arch struct {
	name        string   // as Go and Debian call it
	qemu        string   // the emulator
	qemuPackage string   // its package
	image       string   // the unpacked kernel, in the kernel's folder
	compiler    string   // for modules
	gccPackage  string   // its package; both empty if the headers' package depends on it
	release     string   // the file in the cache that names the kernel in use
	make        []string // variables for building a module
}

func archOf(name string) (*arch, error) {
	switch name {
	case "amd64":
		return &arch{
			name: name, qemu: "qemu-system-x86_64", qemuPackage: "qemu-system-x86",
			image: "vmlinux", release: "release", make: []string{"ARCH=x86"},
		}, nil
	case "arm64":
		return &arch{
			name: name, qemu: "qemu-system-aarch64", qemuPackage: "qemu-system-arm",
			image: "Image", release: "release-arm64",
			compiler: "aarch64-linux-gnu-gcc", gccPackage: "gcc-aarch64-linux-gnu",
			// BTF for eBPF is not used and would need another program, pahole.
			make: []string{"ARCH=arm64", "CROSS_COMPILE=aarch64-linux-gnu-", "CONFIG_DEBUG_INFO_BTF_MODULES="},
		}, nil
	}
	return nil, fmt.Errorf("kernel: architecture %s, want amd64 or arm64", name)
}

// foreign reports whether the packages are for another architecture than this machine,
// which is amd64.
func (a *arch) foreign() bool { return a.name != "amd64" }
