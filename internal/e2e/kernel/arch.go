//go:build linux

package kernel

import "fmt"

// arch is what differs between the architectures of a kernel, to whoever gets it.
type arch struct {
	name        string   // as Go and Debian call it
	qemu        string   // the emulator
	qemuPackage string   // where that is in
	image       string   // the kernel proper, unpacked, in the kernel's folder
	compiler    string   // of modules: a program, and
	gccPackage  string   // where that is in; both empty where the headers' package brings it
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
			// Types for eBPF, which nobody asks for here, would need yet another program.
			make: []string{"ARCH=arm64", "CROSS_COMPILE=aarch64-linux-gnu-", "CONFIG_DEBUG_INFO_BTF_MODULES="},
		}, nil
	}
	return nil, fmt.Errorf("kernel: no kernel for %s, only for amd64 and arm64", name)
}

// foreign says that the packages are not this machine's, which is an amd64.
func (a *arch) foreign() bool { return a.name != "amd64" }
