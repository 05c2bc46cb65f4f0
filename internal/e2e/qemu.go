//go:build linux

package e2e

import (
	"context"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/c4hat/c4hat/internal/e2e/kernel"
)

// kernelArgs make the kernel talk on the first serial port and end a crash at once:
// with -no-reboot, QEMU exits where the machine would restart.
const kernelArgs = "console=ttyS0 quiet panic=-1 oops=panic mitigations=off nokaslr"

// qemu describes a machine that boots an initramfs. Its second serial port is the
// command's standard output; what the kernel says goes to the file console. Plain
// emulation is used even where KVM exists, so that timing is alike everywhere.
func qemu(ctx context.Context, k *kernel.Kernel, initramfs, console string, extraArgs []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, kernel.QEMU,
		"-M", "q35", "-nodefaults", "-accel", "tcg", "-cpu", "Nehalem", "-smp", "1", "-m", "256",
		"-display", "none", "-no-reboot",
		"-serial", "file:"+console,
		"-chardev", "stdio,id=results,signal=off", "-serial", "chardev:results",
		"-kernel", k.Image(), "-initrd", initramfs,
		"-append", strings.Join(append([]string{kernelArgs}, extraArgs...), " "))
	cmd.WaitDelay = 5 * time.Second
	// A test binary that is killed runs no clean-up.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}
