//go:build linux

// Package e2e tests the package on an emulated machine: a Debian with systemd on a real kernel in QEMU, with its
// own disk, without KVM. Modules stand in for the HAT. It needs root.
//
//	make deb                                          the package for this machine
//	go test -tags machine -count=1 ./internal/dev/e2e run the tests on Debian 13, or -system=12
//
// Beside it:
//
//	prepare   makes a Debian, its kernel and the modules that stand in for a HAT, once
//	image     installs the package and the agent on that Debian's disk
//	inside    the agent: presses keys, reads the LEDs and runs programs in the machine
//	standin   the kernel modules that stand in for the HAT, and their Go API
//	uinput    joysticks with the HAT's name whose keys a test presses
//	browser   tests of the page in browsers, which need no machine
package e2e

import (
	"bytes"
	"fmt"
	"net/rpc"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/dev/e2e/inside"
)

// Image is what machines boot from.
type Image struct {
	prepared string // the folder from prepare, with the kernel
	disk     string // each machine copies it
	card     string // so does it copy this second disk, /dev/vdb, if there is one

	boot   sync.Once
	booted string // the folder of the state and the disk that machines go on from, see [Booted]
}

// NewImage makes an image in dir for a system, with a package of c4hat; see the scripts prepare and image.
func NewImage(dir, system, deb, previous, more string) (*Image, error) {
	prepare := exec.Command("./prepare", system)
	prepare.Stderr = os.Stderr
	out, err := prepare.Output()
	if err != nil {
		return nil, fmt.Errorf("e2e: prepare: %w", err)
	}
	i := &Image{prepared: strings.TrimSpace(string(out)), disk: filepath.Join(dir, "disk")}
	if err := command("./image", dir, i.prepared, deb, previous, more); err != nil {
		return nil, err
	}
	if card := filepath.Join(dir, "card"); exists(card) {
		i.card = card
	}
	return i, nil
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// command runs a program; its output is only reported if it fails.
func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("e2e: %s: %w\n%s", name, err, out)
	}
	return nil
}

// kernelArgs make a panic exit at once: with -no-reboot, QEMU exits instead of restarting.
// no_timer_check: on a busy host an emulated timer may be too late for the kernel's check, which would
// panic. The others make emulation faster, by a third of a boot: without norandmaps QEMU translates
// a program anew each time it starts; of the calls that are left out, one measures jitter, and two
// prepare tracing.
const kernelArgs = "console=tty0 console=ttyS0 quiet panic=-1 no_timer_check mitigations=off nokaslr norandmaps rodata=off" +
	" cryptomgr.notests initcall_blacklist=jent_mod_init,trace_eval_init,init_kprobe_trace"

// counted is QEMU's option icount: the machine's clock counts instructions, 250 million a second, and
// follows the host's while the machine is idle. So work on the host makes a machine slow, but never
// late by its own clock: no timer of systemd or of c4hat expires because of it.
const counted = "shift=2,align=off,sleep=on"

// Machine is an emulated computer with its own disk. It may be on or off. Its methods end the test
// if they fail, unless they return an error.
type Machine struct {
	Console *Console // while it is on

	t     *testing.T
	image *Image
	dir   string
	qemu  *exec.Cmd
	disk  *diskServer
	slow  *diskServer
	agent *rpc.Client
	ended chan struct{} // closed when QEMU has exited
	said  *bytes.Buffer // QEMU's output

	differs error // how the picture differed when Mirrors last looked
}

// Power says how a machine is switched on.
type Power struct {
	// KernelArgs are added to the kernel's command line.
	KernelArgs []string
	// Volatile gives the disk a write cache: a power cut keeps only what was flushed.
	// Otherwise a cut keeps all writes.
	Volatile bool

	// slow adds a second disk with an empty file system that is slow to read.
	slow    bool
	options []string // more of QEMU's
	goesOn  bool     // from a saved state
}

// New returns a machine that is off, in the image's folder. If the test fails, the machine's logs
// are printed.
func New(t *testing.T, i *Image) *Machine {
	return withDisks(t, i, map[string]string{"disk": i.disk, "card": i.card})
}

// Booted returns a machine some time after its first boot. All tests share that boot, which takes longer
// than most of them: its state is saved, and each machine goes on from there. It has a second disk,
// /dev/vdb, with an empty file system that is slow to read.
func Booted(t *testing.T, i *Image, p Power) *Machine {
	t.Helper()
	i.boot.Do(func() { i.booted = save(t, i) })
	if i.booted == "" {
		t.Fatal("the machine that all go on from did not start")
	}
	m := withDisks(t, i, map[string]string{"disk": filepath.Join(i.booted, "disk"), "slow": filepath.Join(i.booted, "slow"), "card": i.card})
	p.slow, p.options = true, append(m.monitor(), "-incoming", "exec:cat "+filepath.Join(i.booted, "state"))
	p.goesOn = true
	m.On(p)
	return m
}

// save boots a machine, and returns a folder with its state and its disk.
func save(t *testing.T, i *Image) string {
	t.Helper()
	m := New(t, i)
	m.On(Power{slow: true, options: m.monitor()})
	m.AwaitStatus(func(s Status) bool { return s.Machine.Joystick })
	m.Run("systemctl", "is-system-running", "--wait")
	dir, err := os.MkdirTemp(filepath.Dir(i.disk), "")
	if err != nil {
		t.Fatal(err)
	}
	monitor, err := dialConsole(m.path("monitor"))
	if err != nil {
		t.Fatal(err)
	}
	defer monitor.close()
	_ = m.agent.Close()
	time.Sleep(3 * time.Second) // the agent notices, and waits for the next caller
	const prompt = "(qemu) "
	err = monitor.talk([2]string{"stop\n", prompt}, [2]string{"migrate \"exec:cat >" + filepath.Join(dir, "state") + "\"\n", prompt},
		[2]string{"info migrate\n", "completed"}) // while the machine stands still: QEMU can miss what one that runs writes
	if err != nil {
		t.Fatal(err)
	}
	m.Cut()
	for _, name := range []string{"disk", "slow"} {
		if err := os.Rename(m.path(name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// monitor returns QEMU's options for its monitor.
func (m *Machine) monitor() []string {
	return []string{"-monitor", "unix:" + m.path("monitor") + ",server=on,wait=off"}
}

// goOn lets a machine go on from its saved state, once QEMU has read that.
func (m *Machine) goOn() error {
	monitor, err := dialConsole(m.path("monitor"))
	if err != nil {
		return err
	}
	defer monitor.close()
	for {
		if err := monitor.talk([2]string{"cont\ninfo status\n", "VM status: "}); err != nil {
			return err
		}
		if status, err := monitor.Expect("\r\n"); err != nil || status == "running" {
			return err
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func withDisks(t *testing.T, i *Image, disks map[string]string) *Machine {
	t.Helper()
	dir, err := os.MkdirTemp(filepath.Dir(i.disk), "") // socket paths must be short
	if err != nil {
		t.Fatal(err)
	}
	m := &Machine{t: t, image: i, dir: dir}
	t.Cleanup(func() {
		if t.Failed() {
			m.tell()
		}
		m.Cut()
		_ = os.RemoveAll(dir)
	})
	for name, from := range disks {
		if from == "" {
			continue
		}
		if err := command("cp", "--sparse=always", from, m.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func (m *Machine) path(name string) string { return filepath.Join(m.dir, name) }

// patience limits every wait. A wait ends as soon as it can, so only a test that fails takes this
// long: the limit is many times what a busy host needs, for a boot too.
const patience = 20 * time.Minute

// On switches the machine on and waits for the agent.
func (m *Machine) On(p Power) {
	m.t.Helper()
	began := time.Now()
	m.disk, m.slow = nil, nil
	drives := []string{"-drive", "if=none,id=disk,file=" + m.path("disk") + ",format=raw,cache=writeback"}
	if p.Volatile {
		m.disk, drives = m.serve("disk", cached)
	}
	drives = append(drives, "-device", "virtio-blk-pci,drive=disk")
	if p.slow {
		if !exists(m.path("slow")) {
			for _, make := range [][]string{{"truncate", "-s", "16M", m.path("slow")}, {"mkfs.ext4", "-q", m.path("slow")}} {
				if err := command(make[0], make[1:]...); err != nil {
					m.t.Fatal(err)
				}
			}
		}
		var drive []string
		m.slow, drive = m.serve("slow", slow)
		drives = slices.Concat(drives, drive, []string{"-device", "virtio-blk-pci,drive=slow"})
	}
	if m.image.card != "" {
		drives = append(drives, "-drive", "if=none,id=card,file="+m.path("card")+",format=raw", "-device", "virtio-blk-pci,drive=card")
	}
	m.said = new(bytes.Buffer)
	m.qemu = exec.Command("qemu-system-x86_64", append(append(drives, p.options...),
		"-M", "q35", "-cpu", "Nehalem", "-nodefaults", "-accel", "tcg", "-icount", counted, "-smp", "1", "-m", "512",
		"-display", "none", "-no-reboot",
		"-chardev", "socket,id=console,server=on,wait=off,logappend=on,path="+m.path("tty")+",logfile="+m.path("log"),
		"-serial", "chardev:console",
		"-chardev", "socket,id=agent,server=on,wait=off,path="+m.path("agent"),
		"-device", "virtio-serial-pci", "-device", "virtserialport,chardev=agent,name="+inside.Port,
		"-kernel", filepath.Join(m.image.prepared, "vmlinux"), "-initrd", filepath.Join(m.image.prepared, "initrd"),
		"-append", strings.Join(append([]string{kernelArgs}, p.KernelArgs...), " "))...)
	m.qemu.Stderr = m.said
	// A test binary that is killed does not clean up, so the kernel ends QEMU.
	m.qemu.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := m.qemu.Start(); err != nil {
		m.t.Fatal(err)
	}
	m.ended = make(chan struct{})
	go func(qemu *exec.Cmd, ended chan struct{}) {
		_ = qemu.Wait()
		close(ended)
	}(m.qemu, m.ended)

	var err error
	if m.Console, err = dialConsole(m.path("tty")); err != nil {
		m.t.Fatalf("%v; QEMU said %q", err, m.said.String())
	}
	if p.goesOn {
		if err := m.goOn(); err != nil {
			m.t.Fatal(err)
		}
	}
	conn, err := dial(m.path("agent"))
	if err != nil {
		m.t.Fatal(err)
	}
	m.agent = rpc.NewClient(conn)
	if err := m.call("Hello", inside.None{}, &inside.None{}); err != nil {
		m.t.Fatal("the agent: ", err)
	}
	m.t.Logf("booted in %.1f s", time.Since(began).Seconds())
}

// serve starts a disk's server, and returns QEMU's options for that disk.
func (m *Machine) serve(disk string, filter [2]string) (*diskServer, []string) {
	m.t.Helper()
	socket := m.path(disk + ".nbd")
	d, err := serveDisk(m.path(disk), socket, filter)
	if err != nil {
		m.t.Fatal(err)
	}
	return d, []string{"-drive", "if=none,id=" + disk + ",driver=raw,file.driver=nbd,file.server.type=unix,file.server.path=" + socket + ",cache=writeback"}
}

// Cut cuts the power.
func (m *Machine) Cut() {
	if m.qemu == nil {
		return
	}
	m.kill()
	m.off()
	m.disk.wait()
}

// kill cuts the power. It kills the disk first, so that QEMU's later writes are lost too.
func (m *Machine) kill() {
	m.disk.kill()
	_ = m.qemu.Process.Kill()
}

// Ends waits until the machine powers off or reboots; QEMU exits in both cases.
func (m *Machine) Ends() {
	m.t.Helper()
	select {
	case <-m.ended:
	case <-time.After(patience):
		m.t.Fatal("the machine is still on")
	}
	m.off()
	m.disk.kill()
	m.disk.wait()
}

func (m *Machine) off() {
	<-m.ended
	m.qemu = nil
	m.slow.kill()
	m.slow.wait()
	if m.agent != nil {
		_ = m.agent.Close()
	}
	if m.Console != nil {
		m.Console.close()
	}
}

// tell logs what is known about a machine whose test failed.
func (m *Machine) tell() {
	if m.qemu != nil && m.agent != nil {
		var e inside.Ended
		err := m.call("Run", inside.Command{Args: []string{"journalctl", "--boot", "--no-pager", "--lines=150", "--output=short-monotonic"}, Within: time.Minute}, &e)
		m.t.Logf("the machine's journal: %v\n%s%s", err, e.Out, e.Err)
	}
	m.t.Logf("the end of its console:\n%s", tail(m.path("log"), 40))
}

// tail returns the last lines of a file, or the error of reading it.
func tail(file string, lines int) string {
	b, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
