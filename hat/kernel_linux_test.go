package hat

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestMain lets the test binary act as the other process of some tests.
func TestMain(m *testing.M) {
	switch path := os.Getenv("HAT_TEST_PATH"); os.Getenv("HAT_TEST_CHILD") {
	case "hold matrix":
		os.Exit(hold(func() (io.Closer, error) { return OpenMatrix(&Opts{Framebuffer: path}) }))
	case "hold joystick":
		os.Exit(hold(func() (io.Closer, error) { return OpenJoystick(&Opts{Joystick: path}) }))
	case "":
		os.Exit(m.Run())
	}
	os.Exit(2) // an unknown role
}

// hold keeps a device open until standard input ends.
func hold(open func() (io.Closer, error)) int {
	d, err := open()
	if err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("held")
	io.Copy(io.Discard, os.Stdin)
	if err := d.Close(); err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// child starts this test binary as another process and returns the first line of its output.
func child(t *testing.T, what, path string) (cmd *exec.Cmd, first string, end io.Closer) {
	t.Helper()
	cmd = exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "HAT_TEST_CHILD="+what, "HAT_TEST_PATH="+path)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	first, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%q, %v", first, err)
	}
	return cmd, strings.TrimSpace(first), in
}

// tree is a system with the real /proc, and with its own /sys and /dev, in which tests create
// devices.
type tree struct {
	system
	opened atomic.Int32             // how often a device was opened
	device atomic.Pointer[scripted] // if not nil, opened for any path
}

func newTree(t *testing.T) *tree {
	t.Helper()
	dir := t.TempDir()
	s := &tree{system: kernel()}
	s.Settling = []time.Duration{2 * time.Millisecond, 10 * time.Millisecond, 40 * time.Millisecond}
	s.Patience, s.Booting = 60*time.Millisecond, 0 // this machine may have just been booted
	s.sys, s.dev = filepath.Join(dir, "sys"), filepath.Join(dir, "dev")
	s.open = func(path string, flag int) (node, error) {
		s.opened.Add(1)
		if d := s.device.Load(); d != nil {
			d.path = path
			return d, nil
		}
		return openFile(path, flag)
	}
	must(t, os.MkdirAll(s.dev, 0o755))
	return s
}

// name creates a device's entry with its name below /sys/class.
func (s *tree) name(t *testing.T, entry, name string) {
	t.Helper()
	path := filepath.Join(s.sys, "class", entry)
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(name+"\n"), 0o644))
}

// file creates a device file: a regular file if to is "", else a link to the real device at to.
func (s *tree) file(t *testing.T, entry, to string) string {
	t.Helper()
	path := filepath.Join(s.dev, entry)
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	if to != "" {
		must(t, os.Symlink(to, path))
	} else {
		must(t, os.WriteFile(path, nil, 0o644))
	}
	return path
}

// scripted is a character device with scripted answers, because the real one needs a kernel with the
// HAT's driver. Its path is a link to a real one, usually /dev/null.
type scripted struct {
	path string
	v    fbVar
	x    fbFix

	screens, grabs, locks []error // errors in order; the last one repeats
	read                  func(p []byte) (int, error)
	memory                []byte // what ReadAt returns
	write                 func(p []byte, off int64) (int, error)
	table                 *[32]byte     // the gamma table; nil: ENOTTY
	stuck                 chan struct{} // if not nil, Close waits until this channel is closed

	mu     sync.Mutex
	calls  []string
	closed int
}

// senseHAT is a matrix as rpisense-fb.c reports it.
func senseHAT() *scripted {
	d := &scripted{}
	d.v = fbVar{
		xres: 8, yres: 8, xresVirtual: 8, yresVirtual: 8, bitsPerPixel: 16,
		red: fbBitfield{11, 5, 0}, green: fbBitfield{5, 6, 0}, blue: fbBitfield{0, 5, 0},
	}
	copy(d.x.id[:], "RPi-Sense FB")
	d.x.smemLen, d.x.lineLength = 128, 16
	d.write = func(p []byte, off int64) (int, error) { return len(p), nil }
	return d
}

func (d *scripted) answer(what string, errs *[]error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.calls = append(d.calls, what)
	if len(*errs) == 0 {
		return nil
	}
	err := (*errs)[0]
	if len(*errs) > 1 {
		*errs = (*errs)[1:]
	}
	return err
}

// asked returns the calls to the kernel, in order.
func (d *scripted) asked() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.calls)
}

func (d *scripted) screen(v *fbVar, x *fbFix) error {
	*v, *x = d.v, d.x
	return d.answer("screen", &d.screens)
}
func (d *scripted) Gamma(t *[32]byte) error {
	if d.table == nil {
		return unix.ENOTTY
	}
	*t = *d.table
	return nil
}
func (d *scripted) ResetGamma() error                        { *d.table = gamma; return nil }
func (d *scripted) grab() error                              { return d.answer("grab", &d.grabs) }
func (d *scripted) Lock() error                              { return d.answer("lock", &d.locks) }
func (d *scripted) Name() string                             { return d.path }
func (d *scripted) Stat() (fs.FileInfo, error)               { return os.Stat(d.path) }
func (d *scripted) Read(p []byte) (int, error)               { return d.read(p) }
func (d *scripted) ReadAt(p []byte, _ int64) (int, error)    { return copy(p, d.memory), nil }
func (d *scripted) WriteAt(p []byte, off int64) (int, error) { return d.write(p, off) }
func (d *scripted) Close() error {
	d.closed++
	if d.stuck != nil {
		<-d.stuck
	}
	return nil
}

// pty returns a terminal: the path of one end, and the other end, open.
func pty(t *testing.T) (path string, master *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	var n int
	conn, err := master.SyscallConn()
	must(t, err)
	must(t, conn.Control(func(fd uintptr) {
		if err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); err == nil {
			n, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
	}))
	must(t, err)
	path = fmt.Sprintf("/dev/pts/%d", n)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no pseudo-terminals here: %v", err)
	}
	return path, master
}

// line checks that the error is one line that has our prefix and contains all these texts.
func line(t *testing.T, err error, says ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	s := err.Error()
	if !strings.HasPrefix(s, "hat: ") || strings.Contains(s, "\n") || strings.HasSuffix(s, ".") {
		t.Errorf("not one line with our prefix: %q", s)
	}
	for _, part := range says {
		if !strings.Contains(s, part) {
			t.Errorf("%q does not say %q", s, part)
		}
	}
}

// kinds checks which of the exported errors err matches.
func kinds(t *testing.T, err error, want ...error) {
	t.Helper()
	for _, kind := range []error{ErrNotFound, ErrPermission, ErrBusy, ErrGone, fs.ErrNotExist, fs.ErrPermission, syscall.ENOTTY} {
		is := false
		for _, w := range want {
			is = is || w == kind
		}
		if errors.Is(err, kind) != is {
			t.Errorf("errors.Is(%v, %v) is %t", err, kind, !is)
		}
	}
}

// soon is a timeout for what happens at once or never. It is long enough for a busy, slow machine.
const soon = 5 * time.Minute
