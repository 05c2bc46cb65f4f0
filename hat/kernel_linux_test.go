package hat

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/i2c/i2ctest"
)

// TestMain lets the test binary act as the other process of a test.
func TestMain(m *testing.M) {
	path := os.Getenv("HAT_TEST_PATH")
	var d io.Closer
	var err error
	switch os.Getenv("HAT_TEST_CHILD") {
	case "":
		os.Exit(m.Run())
	case "matrix":
		d, err = OpenMatrix(&Opts{Framebuffer: path})
	case "joystick":
		d, err = OpenJoystick(&Opts{Joystick: path})
	}
	fmt.Println("held", err)
	io.Copy(io.Discard, os.Stdin)
	d.Close()
}

// tree is a system with its own /sys and /dev.
type tree struct{ system }

func newTree(t *testing.T) *tree {
	t.Helper()
	dir := t.TempDir()
	s := &tree{system{sys: filepath.Join(dir, "sys"), dev: filepath.Join(dir, "dev")}}
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

// file creates a regular file in the place of a device file.
func (s *tree) file(t *testing.T, entry string) string {
	t.Helper()
	path := filepath.Join(s.dev, entry)
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, nil, 0o644))
	return path
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
	for _, kind := range []error{ErrNotFound, ErrPermission, ErrBusy, ErrGone, fs.ErrNotExist, fs.ErrPermission, unix.ENOTTY} {
		is := false
		for _, w := range want {
			is = is || w == kind
		}
		if errors.Is(err, kind) != is {
			t.Errorf("errors.Is(%v, %v) is %t", err, kind, !is)
		}
	}
}

func TestKernelStructSizes(t *testing.T) {
	word := unsafe.Sizeof(uintptr(0))
	if n := unsafe.Sizeof(fbVar{}); n != 160 {
		t.Errorf("fb_var_screeninfo has 160 bytes, not %d", n)
	}
	if n, want := unsafe.Sizeof(fbFix{}), map[uintptr]uintptr{4: 68, 8: 80}[word]; n != want {
		t.Errorf("fb_fix_screeninfo has %d bytes, not %d", want, n)
	}
	if n := unsafe.Offsetof(fbFix{}.lineLength); n != map[uintptr]uintptr{4: 44, 8: 48}[word] {
		t.Errorf("line_length at %d", n)
	}
	if n := int(unsafe.Sizeof(unix.Timeval{})) + 8; n != recordSize {
		t.Errorf("input_event has %d bytes, not %d", n, recordSize)
	}
}

// Both devices are found by their names, whatever their numbers are and whatever else there is.
func TestOpenByName(t *testing.T) {
	s := newTree(t)
	_, err := s.openMatrix(nil)
	kinds(t, err, ErrNotFound, fs.ErrNotExist)
	line(t, err, "matrix", `"RPi-Sense FB"`, "seat the HAT", "dtoverlay=rpi-sense", "/boot/firmware/config.txt")
	_, err = s.openJoystick(nil)
	kinds(t, err, ErrNotFound, fs.ErrNotExist)
	line(t, err, "joystick", `"Raspberry Pi Sense HAT Joystick"`, "dtoverlay=rpi-sense")

	s.name(t, "input/js0/device/name", "Raspberry Pi Sense HAT Joystick") // not evdev
	s.name(t, "graphics/fb0/name", "BCM2708 FB")
	s.name(t, "input/event0/device/name", "vc4-hdmi")
	s.name(t, "input/event1/device/name", "Raspberry Pi Sense HAT Joystick too")
	must(t, os.MkdirAll(filepath.Join(s.sys, "class/graphics/fb7"), 0o755))
	s.name(t, "graphics/fb10/name", "RPi-Sense FB")
	s.name(t, "input/event12/device/name", "Raspberry Pi Sense HAT Joystick")
	_, err = s.openMatrix(nil)
	kinds(t, err, ErrNotFound, fs.ErrNotExist)
	line(t, err, filepath.Join(s.dev, "fb10"), "is missing", "container")

	fb, stick := s.file(t, "fb10"), s.file(t, "input/event12")
	m, err := s.openMatrix(nil)
	must(t, err)
	defer m.Close()
	j, err := s.openJoystick(nil)
	must(t, err)
	defer j.Close()
	if m.String() != "Sense HAT matrix "+fb || j.String() != "Sense HAT joystick "+stick {
		t.Error(m, j)
	}
}

// Only a screen of 8×8 pixels of RGB565 is taken for a HAT's.
func TestScreen(t *testing.T) {
	for name, spoil := range map[string]func(v *fbVar, x *fbFix){
		"":              func(*fbVar, *fbFix) {},
		"a large one":   func(v *fbVar, _ *fbFix) { v.xres, v.yres, v.bitsPerPixel = 1920, 1080, 32 },
		"nothing":       func(v *fbVar, x *fbFix) { *v, *x = fbVar{}, fbFix{} },
		"vfb's colours": func(v *fbVar, _ *fbFix) { v.red, v.blue = v.blue, v.red },
		"short rows":    func(_ *fbVar, x *fbFix) { x.lineLength = 8 },
		"padded rows":   func(_ *fbVar, x *fbFix) { x.lineLength, x.smemLen = 32, 256 },
		"few bytes":     func(_ *fbVar, x *fbFix) { x.smemLen = 127 },
	} {
		v := fbVar{
			xres: 8, yres: 8, bitsPerPixel: 16,
			red: fbBitfield{11, 5, 0}, green: fbBitfield{5, 6, 0}, blue: fbBitfield{0, 5, 0},
		}
		x := fbFix{smemLen: 128, lineLength: 16}
		spoil(&v, &x)
		if isHAT(&v, &x) != (name == "") {
			t.Errorf("%q", name)
		}
	}
}

// Files that are not a Sense HAT are rejected, with the real kernel's errors.
func TestOpenWrongFile(t *testing.T) {
	dir := t.TempDir()
	fifo, locked := filepath.Join(dir, "fifo"), filepath.Join(dir, "locked")
	must(t, unix.Mkfifo(fifo, 0o600))
	must(t, os.WriteFile(locked, nil, 0))
	missing := []error{ErrNotFound, fs.ErrNotExist}
	for path, want := range map[string][]error{
		"/dev/null":                {unix.ENOTTY},
		dir:                        {},
		fifo:                       {},
		filepath.Join(dir, "none"): missing,
		filepath.Join(fifo, "x"):   {ErrNotFound, fs.ErrNotExist},
		locked:                     {ErrPermission, fs.ErrPermission},
	} {
		if path == locked && os.Geteuid() == 0 { // who may open it
			continue
		}
		_, err := OpenMatrix(&Opts{Framebuffer: path})
		line(t, err, path)
		kinds(t, err, want...)
		if path == fifo { // may be a joystick
			continue
		}
		_, err = OpenJoystick(&Opts{Joystick: path})
		line(t, err, path)
		kinds(t, err, want...)
	}
	for _, degrees := range []int{45, -90} {
		_, err := OpenMatrix(&Opts{Framebuffer: filepath.Join(dir, "new"), Rotate: degrees})
		if err == nil {
			t.Errorf("a rotation by %d degrees was accepted", degrees)
		}
	}
}

func TestRegularFileAsMatrix(t *testing.T) {
	for before, size := range map[int]int{0: 128, 100: 128, 128: 128, 160: 160} {
		path := filepath.Join(t.TempDir(), "screen")
		must(t, os.WriteFile(path, []byte(strings.Repeat("\xee", before)), 0o600))
		m, err := OpenMatrix(&Opts{Framebuffer: path})
		must(t, err)
		check := func(pixel uint16) {
			t.Helper()
			want := binary.NativeEndian.AppendUint16(nil, pixel)
			b, err := os.ReadFile(path)
			if err != nil || string(b) != strings.Repeat(string(want), 64)+strings.Repeat("\xee", size-128) {
				t.Fatalf("%x, %v, want %04x", b, err, pixel)
			}
		}
		check(0)
		must(t, m.WriteFrame(filled(red)))
		check(0xf800)
		must(t, m.Close())
		check(0)
	}
}

// Another process that has the device is named, and the device is free when that process closes it.
func TestBusyOwner(t *testing.T) {
	// The test needs a tmpfs like /dev: on a file system without its own device number (btrfs, some
	// overlays), /proc/locks and stat report different numbers.
	dir, err := os.MkdirTemp("/dev/shm", "hat")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for what, open := range map[string]func(path string) (io.Closer, error){
		"matrix":   func(path string) (io.Closer, error) { return OpenMatrix(&Opts{Framebuffer: path}) },
		"joystick": func(path string) (io.Closer, error) { return OpenJoystick(&Opts{Joystick: path}) },
	} {
		path := filepath.Join(dir, what)
		must(t, os.WriteFile(path, nil, 0o600))
		holder := exec.Command("/proc/self/exe")
		holder.Env = append(os.Environ(), "HAT_TEST_CHILD="+what, "HAT_TEST_PATH="+path)
		in, err := holder.StdinPipe()
		must(t, err)
		out, err := holder.StdoutPipe()
		must(t, err)
		must(t, holder.Start())
		if first, err := bufio.NewReader(out).ReadString('\n'); first != "held <nil>\n" {
			t.Fatal(first, err)
		}
		_, err = open(path)
		kinds(t, err, ErrBusy)
		comm, rerr := os.ReadFile(fmt.Sprintf("/proc/%d/comm", holder.Process.Pid))
		must(t, rerr)
		name := strings.TrimSpace(string(comm))
		line(t, err, path, fmt.Sprintf("in use by process %d (%s)", holder.Process.Pid, name))
		if pid, got := LockOwner(path); pid != holder.Process.Pid || got != name {
			t.Errorf("the owner is %d, %q", pid, got)
		}
		must(t, in.Close())
		must(t, holder.Wait())
		if pid, got := LockOwner(path); pid != 0 || got != "" {
			t.Errorf("afterwards the owner is %d, %q", pid, got)
		}
		d, err := open(path)
		must(t, err)
		must(t, d.Close())
	}
}

func TestLockHolder(t *testing.T) {
	const locks = `1: POSIX  ADVISORY  WRITE 100 00:05:136 0 EOF
2: FLOCK  ADVISORY  WRITE 4711 00:05:136 0 EOF
2: -> FLOCK  ADVISORY  WRITE 4712 00:05:136 0 EOF
3: FLOCK  ADVISORY  READ  200 fd:00:136 0 EOF
4: -> FLOCK  ADVISORY  WRITE 300 00:05:137 0 EOF
5: FLOCK  ADVISORY  WRITE x 00:05:138 0 EOF
6: FLOCK  ADVISORY

8: FLOCK  ADVISORY  WRITE 5 103:1f:18446744073709551615 0 EOF`
	for _, test := range []struct {
		major, minor uint32
		ino          uint64
		want         int
	}{
		{0, 5, 136, 4711}, {0xfd, 0, 136, 200}, {0, 5, 137, 0}, {0, 5, 138, 0}, {0, 5, 13, 0}, {0x103, 0x1f, 1<<64 - 1, 5},
	} {
		if got := lockHolder(locks, unix.Mkdev(test.major, test.minor), test.ino); got != test.want {
			t.Errorf("%v: got process %d", test, got)
		}
	}
}

// The joystick may be a FIFO, whose writers come and go. Close ends a blocked read.
func TestFIFOAsJoystick(t *testing.T) {
	path := filepath.Join(t.TempDir(), "stick")
	must(t, unix.Mkfifo(path, 0o600))
	s, err := OpenJoystick(&Opts{Joystick: path})
	must(t, err)
	feed := func(b []byte) {
		t.Helper()
		w, err := os.OpenFile(path, os.O_WRONLY, 0)
		must(t, err)
		_, err = w.Write(b)
		must(t, errors.Join(err, w.Close()))
	}
	press := record(evKey, 106, 1)
	feed(press[:7])
	feed(press[7:]) // the rest of a record, from another writer
	feed(append(record(evKey, 106, 0), record(evKey, 28, 1)...))
	for _, want := range []Event{{Right, Press}, {Right, Release}, {Middle, Press}} {
		if e, err := s.ReadEvent(); err != nil || e != want {
			t.Errorf("%v, %v, want %v", e, err, want)
		}
	}
	_, err = OpenJoystick(&Opts{Joystick: path})
	kinds(t, err, ErrBusy)
	ended := make(chan error)
	go func() {
		_, err := s.ReadEvent()
		ended <- err
	}()
	must(t, s.Close())
	if err := <-ended; !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	s, err = OpenJoystick(&Opts{Joystick: path})
	must(t, err)
	must(t, s.Close())
}

// The board is driven directly only if the options say so, and the kernel has no device for it.
func TestDirect(t *testing.T) {
	for name, tt := range map[string]struct {
		give func(*tree, *Opts)
		says string
	}{
		"nothing":  {func(*tree, *Opts) {}, ""},
		"a matrix": {func(s *tree, _ *Opts) { s.name(t, "graphics/fb0/name", "RPi-Sense FB") }, "is missing"},
		"a driver": {func(s *tree, _ *Opts) {
			must(t, os.MkdirAll(filepath.Join(s.sys, "bus/i2c/devices/1-0046/driver"), 0o755))
		}, "a kernel driver is bound to the board"},
		"no bus":       {func(_ *tree, o *Opts) { must(t, os.Remove(o.I2C.Device)) }, "dtoverlay=rpi-sense"},
		"a given path": {func(_ *tree, o *Opts) { o.Framebuffer = "/nowhere/fb1" }, "no matrix at /nowhere/fb1"},
		"no answer": {func(_ *tree, o *Opts) {
			o.I2C.Open = func() (i2c.BusCloser, error) { return &i2ctest.Playback{DontPanic: true}, nil }
		}, "seat the HAT"},
	} {
		s := newTree(t)
		o := &Opts{I2C: &I2C{Device: s.file(t, "i2c-1"), sys: s.sys, Open: func() (i2c.BusCloser, error) { return &still{}, nil }}}
		tt.give(s, o)
		m, err := s.openMatrix(o)
		if tt.says != "" {
			kinds(t, err, ErrNotFound, fs.ErrNotExist)
			line(t, err, tt.says)
			continue
		}
		must(t, err)
		_, err = s.openMatrix(o)
		kinds(t, err, ErrBusy)
		line(t, err, "the I²C bus "+o.I2C.Device+" is in use by process")
		j, err := s.openJoystick(o)
		must(t, err)
		// A driver that is bound later gets the board.
		must(t, os.MkdirAll(filepath.Join(s.sys, "bus/i2c/devices/1-0046/driver"), 0o755))
		_, err = j.ReadEvent()
		kinds(t, err, ErrGone)
		line(t, err, "a kernel driver uses the Sense HAT")
		kinds(t, m.Refresh(), ErrGone)
		_ = m.Close()
		must(t, j.Close())
		if o.I2C.InUse() {
			t.Errorf("%s: still in use", name)
		}
	}
}
