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
	"testing/synctest"
	"time"

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

// fails checks that an error is of this kind, or of none if it is nil, that it is one line with our prefix, and that
// it contains all these texts.
func fails(t *testing.T, err, kind error, says ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	for _, k := range []error{ErrNotFound, ErrPermission, ErrBusy, ErrGone} {
		if errors.Is(err, k) != (k == kind) || errors.Is(err, fs.ErrNotExist) != (kind == ErrNotFound) {
			t.Errorf("%v, want the kind %v", err, kind)
		}
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

// Both devices are found by their names, whatever their numbers are and whatever else there is.
func TestOpenByName(t *testing.T) {
	s := newTree(t)
	_, err := s.openMatrix(nil)
	fails(t, err, ErrNotFound, "matrix", `"RPi-Sense FB"`, "seat the HAT", "dtoverlay=rpi-sense", "/boot/firmware/config.txt")
	_, err = s.openJoystick(nil)
	fails(t, err, ErrNotFound, "joystick", `"Raspberry Pi Sense HAT Joystick"`, "dtoverlay=rpi-sense")

	s.name(t, "input/js0/device/name", "Raspberry Pi Sense HAT Joystick") // not evdev
	s.name(t, "graphics/fb0/name", "BCM2708 FB")
	s.name(t, "input/event0/device/name", "vc4-hdmi")
	s.name(t, "input/event1/device/name", "Raspberry Pi Sense HAT Joystick too")
	must(t, os.MkdirAll(filepath.Join(s.sys, "class/graphics/fb7"), 0o755))
	s.name(t, "graphics/fb10/name", "RPi-Sense FB")
	s.name(t, "input/event12/device/name", "Raspberry Pi Sense HAT Joystick")
	_, err = s.openMatrix(nil)
	fails(t, err, ErrNotFound, filepath.Join(s.dev, "fb10"), "no such file")

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
	mode, err := unix.FcntlInt(j.device.(file).Fd(), unix.F_GETFL, 0)
	if err != nil || mode&unix.O_ACCMODE != unix.O_RDONLY { // the service may not open it in another way
		t.Errorf("the joystick is open with %#x, %v", mode, err)
	}
}

// Only a device with 8×8 pixels of 16 bits is taken for a HAT's. /dev/null, device 1:3, is in its place.
func TestScreen(t *testing.T) {
	for _, tt := range []struct{ size, bits, says string }{
		{"8,8", "16", ""},
		{"1920,1080", "32", "is not the framebuffer of a Sense HAT"},
		{"8,8", "32", "is not the framebuffer"},
		{"8,16", "16", "is not the framebuffer"},
	} {
		s := newTree(t)
		s.name(t, "../dev/char/1:3/virtual_size", tt.size)
		s.name(t, "../dev/char/1:3/bits_per_pixel", tt.bits)
		null, err := os.OpenFile("/dev/null", os.O_RDWR, 0)
		must(t, err)
		defer null.Close()
		if err := s.checkScreen(file{null, true}); tt.says != "" {
			fails(t, err, nil, tt.says, "leave the path out")
		} else {
			must(t, err)
		}
	}
}

// A kernel device is closed 20 ms after its last frame, which some kernels lose otherwise. /dev/zero, device 1:5, is in
// its place.
func TestLinger(t *testing.T) {
	s := newTree(t)
	s.name(t, "../dev/char/1:5/virtual_size", "8,8")
	s.name(t, "../dev/char/1:5/bits_per_pixel", "16")
	m, err := s.openMatrix(&Opts{Framebuffer: "/dev/zero"})
	must(t, err)
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		if must(t, m.Close()); time.Since(began) != 20*time.Millisecond {
			t.Error(time.Since(began))
		}
	})
}

// Files that are not a Sense HAT are rejected, with the real kernel's errors.
func TestOpenWrongFile(t *testing.T) {
	dir := t.TempDir()
	fifo, locked := filepath.Join(dir, "fifo"), filepath.Join(dir, "locked")
	must(t, unix.Mkfifo(fifo, 0o600))
	must(t, os.WriteFile(locked, nil, 0))
	for path, want := range map[string]error{
		"/dev/null":                nil,
		dir:                        nil,
		fifo:                       nil,
		filepath.Join(dir, "none"): ErrNotFound,
		filepath.Join(fifo, "x"):   ErrNotFound,
		locked:                     ErrPermission,
	} {
		if path == locked && os.Geteuid() == 0 { // who may open it
			continue
		}
		_, err := OpenMatrix(&Opts{Framebuffer: path})
		fails(t, err, want, path)
		if path == fifo { // may be a joystick
			continue
		}
		_, err = OpenJoystick(&Opts{Joystick: path})
		fails(t, err, want, path)
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
		comm, rerr := os.ReadFile(fmt.Sprintf("/proc/%d/comm", holder.Process.Pid))
		must(t, rerr)
		name := strings.TrimSpace(string(comm))
		fails(t, err, ErrBusy, path, fmt.Sprintf("in use by process %d (%s)", holder.Process.Pid, name))
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
	feed(press)
	feed(append(record(evKey, 106, 0), record(evKey, 28, 1)...))
	for _, want := range []Event{{Right, Press}, {Right, Release}, {Middle, Press}} {
		if e, err := s.ReadEvent(); err != nil || e != want {
			t.Errorf("%v, %v, want %v", e, err, want)
		}
	}
	_, err = OpenJoystick(&Opts{Joystick: path})
	fails(t, err, ErrBusy)
	ended := make(chan error)
	go func() {
		_, err := s.ReadEvent()
		ended <- err
	}()
	must(t, s.Close())
	_, later := s.ReadEvent()
	for _, err := range []error{<-ended, later, s.Close()} {
		if !errors.Is(err, os.ErrClosed) {
			t.Error(err)
		}
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
		"nothing": {func(*tree, *Opts) {}, ""},
		"a driver": {func(s *tree, _ *Opts) {
			must(t, os.MkdirAll(filepath.Join(s.sys, "bus/i2c/devices/1-0046/driver"), 0o755))
		}, "dtoverlay=rpi-sense"},
		"no bus":       {func(_ *tree, o *Opts) { must(t, os.Remove(o.I2C.Device)) }, "dtoverlay=rpi-sense"},
		"a given path": {func(_ *tree, o *Opts) { o.Framebuffer = "/nowhere/fb1" }, "cannot open the matrix /nowhere/fb1"},
		"no answer": {func(_ *tree, o *Opts) {
			o.I2C.Open = func() (i2c.BusCloser, error) { return &i2ctest.Playback{DontPanic: true}, nil }
		}, "seat the HAT"},
	} {
		s := newTree(t)
		o := &Opts{I2C: &I2C{Device: s.file(t, "i2c-1"), sys: s.sys, Open: func() (i2c.BusCloser, error) { return &still{}, nil }}}
		tt.give(s, o)
		m, err := s.openMatrix(o)
		if tt.says != "" {
			fails(t, err, ErrNotFound, tt.says)
			continue
		}
		must(t, err)
		_, err = s.openMatrix(o)
		fails(t, err, ErrBusy, "the I²C bus "+o.I2C.Device+" is in use by process")
		j, err := s.openJoystick(o)
		must(t, err)
		// A driver that is bound later gets the board.
		must(t, os.MkdirAll(filepath.Join(s.sys, "bus/i2c/devices/1-0046/driver"), 0o755))
		_, err = j.ReadEvent()
		fails(t, err, ErrGone, "a kernel driver uses the Sense HAT")
		fails(t, m.Refresh(), ErrGone)
		_ = m.Close()
		must(t, j.Close())
		if o.I2C.InUse() {
			t.Errorf("%s: still in use", name)
		}
	}
}
