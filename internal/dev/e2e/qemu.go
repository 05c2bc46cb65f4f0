//go:build linux

package e2e

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/c4hat/c4hat/internal/dev/e2e/kernel"
)

// KernelArgs make a panic exit at once: with -no-reboot, QEMU exits instead of restarting.
// no_timer_check: on a busy host an emulated timer may be too late for the kernel's check, which would
// panic. The others make emulation faster, by a third of a boot: without norandmaps QEMU translates
// a program anew each time it starts; of the calls that are left out, one measures jitter, and two
// prepare tracing.
const KernelArgs = "quiet panic=-1 no_timer_check mitigations=off nokaslr norandmaps rodata=off cryptomgr.notests" +
	" initcall_blacklist=jent_mod_init,trace_eval_init,init_kprobe_trace"

// machine is the hardware that QEMU emulates.
type machine struct {
	hardware []string
	console  string   // the kernel's name for the first serial port
	results  []string // options for a second serial port, on the chardev "results"
	device   string   // the device file of the second port in the guest
}

// Hardware returns QEMU's options for an architecture's machine and processor, and the name of
// its first serial port.
func Hardware(arch string) (options []string, console string) {
	m := machineFor(arch)
	return m.hardware, m.console
}

func machineFor(arch string) machine {
	if arch == "arm64" {
		// The processor of a Pi Zero 2 W and a Pi 3. The board has one serial port; the
		// other is on PCI.
		return machine{
			hardware: []string{"-M", "virt", "-cpu", "cortex-a53"}, console: "ttyAMA0",
			results: []string{"-device", "pci-serial,chardev=results"}, device: "/dev/ttyS0",
		}
	}
	return machine{
		hardware: []string{"-M", "q35", "-cpu", "Nehalem"}, console: "ttyS0",
		results: []string{"-serial", "chardev:results"}, device: "/dev/ttyS1",
	}
}

// Counted is QEMU's option icount: the machine's clock counts instructions, 250 million a second, and
// follows the host's while the machine is idle. So work on the host makes a machine slow, but never
// late by its own clock: no timer of systemd or of c4hat expires because of it.
const Counted = "shift=2,align=off,sleep=on"

// leaping is Counted for a machine that nothing outside talks to: while it is idle, its clock leaps to
// the next timer, so that it waits for nothing.
const leaping = "shift=2,align=off,sleep=off"

// qemu returns the command that boots an initramfs. The tests' output is its standard
// output; the kernel's goes to the file console. It never uses KVM, so that the timing
// is the same everywhere.
func qemu(ctx context.Context, k *kernel.Kernel, initramfs, console string, extraArgs []string) *exec.Cmd {
	m := machineFor(k.System.Arch)
	args := append([]string{"console=" + m.console, KernelArgs, "oops=panic"}, extraArgs...)
	cmd := exec.CommandContext(ctx, k.QEMU(), slices.Concat(m.hardware, []string{
		"-nodefaults", "-accel", "tcg", "-icount", leaping, "-smp", "1", "-m", "256",
		"-display", "none", "-no-reboot",
		"-serial", "file:" + console,
		"-chardev", "stdio,id=results,signal=off"}, m.results, []string{
		"-kernel", k.Image(), "-initrd", initramfs, "-append", strings.Join(args, " ")})...)
	cmd.WaitDelay = 5 * time.Second
	// A test binary that is killed does not clean up, so the kernel ends QEMU.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}
