package hat

import (
	"encoding/binary"
	"errors"
	"fmt"
	"image/color"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/c4hat/c4hat/hat/internal/device"
	"golang.org/x/sys/unix"
)

func TestKernelStructSizes(t *testing.T) {
	if n := unsafe.Sizeof(fbVar{}); n != 160 {
		t.Errorf("fb_var_screeninfo has 160 bytes, not %d", n)
	}
	want := map[int]uintptr{4: 68, 8: 80}[intBytes]
	if n := unsafe.Sizeof(fbFix{}); n != want {
		t.Errorf("fb_fix_screeninfo has %d bytes, not %d", want, n)
	}
	if n := unsafe.Offsetof(fbFix{}.lineLength); n != map[int]uintptr{4: 44, 8: 48}[intBytes] {
		t.Errorf("line_length at %d", n)
	}
	if n := int(unsafe.Sizeof(unix.Timeval{})) + 8; n != recordSize {
		t.Errorf("input_event has %d bytes, not %d", n, recordSize)
	}
}

func TestFindByName(t *testing.T) {
	s := newTree(t)
	_, err := s.find(matrixPart())
	kinds(t, err, ErrNotFound, fs.ErrNotExist)
	line(t, err, "matrix", `"RPi-Sense FB"`, "seat the HAT", "dtoverlay=rpi-sense", "/boot/firmware/config.txt")
	_, err = s.find(joystickPart())
	kinds(t, err, ErrNotFound, fs.ErrNotExist)
	line(t, err, "joystick", `"Raspberry Pi Sense HAT Joystick"`, "dtoverlay=rpi-sense")

	// A joystick also has interfaces other than evdev, without a name.
	s.name(t, "input/js0/device/name", "Raspberry Pi Sense HAT Joystick")
	if path, err := s.find(joystickPart()); err == nil {
		t.Errorf("joystick at %s", path)
	}

	s.name(t, "graphics/fb0/name", "BCM2708 FB")
	s.name(t, "input/event0/device/name", "vc4-hdmi")
	s.name(t, "input/event1/device/name", "Raspberry Pi Sense HAT Joystick too")
	must(t, os.MkdirAll(filepath.Join(s.sys, "class/graphics/fb7"), 0o755))
	s.name(t, "graphics/fb10/name", "RPi-Sense FB")
	s.name(t, "input/event12/device/name", "Raspberry Pi Sense HAT Joystick")
	if path, err := s.find(matrixPart()); path != filepath.Join(s.dev, "fb10") {
		t.Errorf("matrix at %s, %v", path, err)
	}
	if path, err := s.find(joystickPart()); path != filepath.Join(s.dev, "input/event12") {
		t.Errorf("joystick at %s, %v", path, err)
	}

	// The kernel has the device, but /dev does not.
	_, err = s.openMatrix(nil)
	kinds(t, err, ErrNotFound, fs.ErrNotExist)
	line(t, err, filepath.Join(s.dev, "fb10"), "missing")
}

func TestOpenByName(t *testing.T) {
	s := newTree(t)
	s.name(t, "graphics/fb0/name", "RPi-Sense FB")
	s.file(t, "fb0", "/dev/null")
	s.name(t, "input/event3/device/name", "Raspberry Pi Sense HAT Joystick")
	s.file(t, "input/event3", "/dev/null")

	d := senseHAT()
	s.device.Store(d)
	m, err := s.openMatrix(&Opts{})
	must(t, err)
	if got := m.String(); got != "Sense HAT matrix "+filepath.Join(s.dev, "fb0") {
		t.Error(got)
	}
	if !slices.Equal(d.asked(), []string{"screen", "lock"}) {
		t.Errorf("asked for %v", d.asked())
	}
	must(t, m.Close())
	if d.closed != 1 {
		t.Errorf("closed %d times", d.closed)
	}

	d = &scripted{}
	s.device.Store(d)
	st, err := s.openJoystick(nil)
	must(t, err)
	if got := st.String(); got != "Sense HAT joystick "+filepath.Join(s.dev, "input/event3") {
		t.Error(got)
	}
	if !slices.Equal(d.asked(), []string{"lock", "grab"}) {
		t.Errorf("asked for %v", d.asked())
	}
	must(t, st.Close())
	if d.closed != 1 {
		t.Errorf("closed %d times", d.closed)
	}
}

func TestScreenLayout(t *testing.T) {
	d := senseHAT()
	// The kernel's vfb has red and blue swapped. Rows may be padded.
	d.v.red, d.v.blue = d.v.blue, d.v.red
	d.x.lineLength, d.x.smemLen = 32, 7*32+16
	l, err := screenLayout(d, "/dev/fbX")
	if want := (layout{channel{0, 5}, channel{5, 6}, channel{11, 5}, 32}); err != nil || l != want {
		t.Errorf("got %v, %v, want %v", l, err, want)
	}

	for name, test := range map[string]struct {
		spoil func(d *scripted)
		says  string
	}{
		"an HDMI screen":           {func(d *scripted) { d.v.xres, d.v.yres, d.v.bitsPerPixel = 1920, 1080, 32 }, "1920×1080 pixels of 32 bits"},
		"too wide":                 {func(d *scripted) { d.v.xres = 9 }, "9×8"},
		"too low":                  {func(d *scripted) { d.v.yres = 7 }, "8×7"},
		"nothing filled in":        {func(d *scripted) { d.v, d.x = fbVar{}, fbFix{} }, "0×0"},
		"colours beyond the pixel": {func(d *scripted) { d.v.red.offset = 12 }, "5 bits at bit 12"},
		"an offset that overflows": {func(d *scripted) { d.v.red.offset = 1<<32 - 1 }, "at bit 4294967295"},
		"a length that overflows":  {func(d *scripted) { d.v.red.length = 1<<32 - 5 }, "4294967291 bits"},
		"colours that overlap":     {func(d *scripted) { d.v.green.offset = 6 }, "overlap"},
		"no colours":               {func(d *scripted) { d.v.red, d.v.green, d.v.blue = fbBitfield{}, fbBitfield{}, fbBitfield{} }, "0 bits"},
		"grey":                     {func(d *scripted) { d.v.grayscale = 1 }, "pixel format"},
		"bits the other way round": {func(d *scripted) { d.v.blue.msbRight = 1 }, "pixel format"},
		"a picture further down":   {func(d *scripted) { d.v.yoffset = 8 }, "(0, 8)"},
		"short rows":               {func(d *scripted) { d.x.lineLength = 8 }, "rows of 8 bytes"},
		"no row length":            {func(d *scripted) { d.x.lineLength = 0 }, "rows of 0 bytes"},
		"endless rows":             {func(d *scripted) { d.x.lineLength = 1<<32 - 1 }, "rows of 4294967295 bytes"},
		"too little memory":        {func(d *scripted) { d.x.smemLen = 127 }, "127 bytes of memory"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newTree(t)
			s.name(t, "graphics/fb0/name", "RPi-Sense FB")
			path := s.file(t, "fb0", "/dev/null")
			for _, o := range []*Opts{nil, {Framebuffer: path}} {
				d := senseHAT()
				test.spoil(d)
				s.device.Store(d)
				_, err := s.openMatrix(o)
				kinds(t, err)
				line(t, err, path, test.says)
				if d.closed != 1 {
					t.Errorf("closed %d times", d.closed)
				}
			}
		})
	}
}

func TestSystemCallErrors(t *testing.T) {
	for _, test := range []struct {
		err  error
		kind []error
	}{
		{unix.ENOTTY, []error{unix.ENOTTY}},
		{unix.EINVAL, nil},
		{unix.EACCES, []error{ErrPermission, fs.ErrPermission}},
		{unix.EPERM, []error{ErrPermission, fs.ErrPermission}},
		{unix.ENODEV, []error{ErrGone}},
		{unix.ENOLCK, nil},
	} {
		for _, call := range []string{"screen", "lock", "grab", "write"} {
			t.Run(fmt.Sprint(call, " ", test.err), func(t *testing.T) {
				s := newTree(t)
				path := s.file(t, "x", "/dev/null")
				d := senseHAT()
				s.device.Store(d)
				kind := test.kind
				var err error
				switch call {
				case "screen":
					d.screens = []error{test.err}
					_, err = s.openMatrix(&Opts{Framebuffer: path})
				case "write":
					d.write = func([]byte, int64) (int, error) { return 0, test.err }
					_, err = s.openMatrix(&Opts{Framebuffer: path})
				case "lock":
					d.locks = []error{test.err}
					_, err = s.openMatrix(&Opts{Framebuffer: path})
				case "grab":
					d.grabs = []error{test.err}
					_, err = s.openJoystick(&Opts{Joystick: path})
				}
				if !errors.Is(err, test.err) {
					t.Errorf("%v is not %v", err, test.err)
				}
				if device.KindOf(test.err) == ErrPermission && (call == "screen" || call == "grab") {
					line(t, err, path, "sudo usermod -aG video,input $USER", "log in again")
				} else {
					line(t, err, path)
					if device.KindOf(test.err) == ErrPermission {
						kind = []error{fs.ErrPermission}
					}
				}
				kinds(t, err, kind...)
				if d.closed != 1 {
					t.Errorf("closed %d times", d.closed)
				}
			})
		}
	}
}

func TestInterruptedCalls(t *testing.T) {
	s := newTree(t)
	path := s.file(t, "x", "/dev/null")
	d := senseHAT()
	twice := []error{unix.EINTR, unix.EINTR, nil}
	d.screens, d.locks, d.grabs = slices.Clone(twice), slices.Clone(twice), slices.Clone(twice)
	s.device.Store(d)
	if _, err := s.openMatrix(&Opts{Framebuffer: path}); err != nil {
		t.Error(err)
	}
	if _, err := s.openJoystick(&Opts{Joystick: path}); err != nil {
		t.Error(err)
	}
	if len(d.asked()) != 3+3+1+3 {
		t.Errorf("asked for %v", d.asked())
	}
}

// Files that are not a Sense HAT are rejected, with the real kernel's errors.
func TestOpenWrongFile(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	must(t, unix.Mkfifo(fifo, 0o600))
	tty, _ := pty(t)
	for _, test := range []struct {
		path     string
		matrix   []error
		joystick []error
	}{
		{"/dev/null", []error{unix.ENOTTY}, []error{unix.ENOTTY}},
		{tty, []error{unix.ENOTTY}, []error{unix.ENOTTY}},
		{dir, []error{}, []error{}},
		{fifo, []error{}, nil},
		{filepath.Join(dir, "none"), []error{ErrNotFound, fs.ErrNotExist}, []error{ErrNotFound, fs.ErrNotExist}},
		{filepath.Join(fifo, "x"), []error{ErrNotFound}, []error{ErrNotFound}},
	} {
		if want := test.matrix; want != nil {
			_, err := OpenMatrix(&Opts{Framebuffer: test.path})
			line(t, err, test.path)
			if device.KindOf(err) == ErrNotFound {
				want = []error{ErrNotFound, fs.ErrNotExist}
			}
			kinds(t, err, want...)
		}
		if want := test.joystick; want != nil {
			_, err := OpenJoystick(&Opts{Joystick: test.path})
			line(t, err, test.path)
			if device.KindOf(err) == ErrNotFound {
				want = []error{ErrNotFound, fs.ErrNotExist}
			}
			kinds(t, err, want...)
		}
	}
	for _, degrees := range []int{45, -90} {
		if _, err := OpenMatrix(&Opts{Framebuffer: "/dev/null", Rotate: degrees}); err == nil {
			t.Errorf("a rotation by %d degrees was accepted", degrees)
		} else {
			line(t, err, strconv.Itoa(degrees))
		}
	}
}

// Only errors about devices advise the user to join a group.
func TestPermissionAdvice(t *testing.T) {
	for _, p := range []part{matrixPart(), joystickPart()} {
		err := openFault(p, "/dev/x", false, fs.ModeDevice|fs.ModeCharDevice, unix.EACCES)
		kinds(t, err, ErrPermission, fs.ErrPermission)
		line(t, err, "/dev/x", p.what, "the group "+p.group, "sudo usermod -aG video,input $USER", "log in again")
		err = openFault(p, "/tmp/x", true, 0, unix.EACCES)
		kinds(t, err, ErrPermission, fs.ErrPermission)
		if line(t, err, "/tmp/x", "permission denied"); strings.Contains(err.Error(), "usermod") {
			t.Errorf("no group helps here: %v", err)
		}
	}
}

func TestRegularFileAsMatrix(t *testing.T) {
	for _, test := range []struct {
		name         string
		before, size int
	}{
		{"empty", 0, 128}, {"short", 100, 128}, {"exact", 128, 128}, {"the emulator's", 160, 160},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "screen")
			before := make([]byte, test.before)
			for i := range before {
				before[i] = 0xee
			}
			must(t, os.WriteFile(path, before, 0o600))
			m, err := OpenMatrix(&Opts{Framebuffer: path})
			must(t, err)
			check := func(pixel uint16) {
				t.Helper()
				b, err := os.ReadFile(path)
				must(t, err)
				if len(b) != test.size {
					t.Fatalf("%d bytes", len(b))
				}
				for i := range 64 {
					if p := binary.NativeEndian.Uint16(b[2*i:]); p != pixel {
						t.Fatalf("pixel %d is %#04x, want %#04x", i, p, pixel)
					}
				}
				for _, v := range b[128:] {
					if v != 0xee {
						t.Errorf("what follows the pixels is %x", b[128:])
					}
				}
			}
			check(0)
			must(t, m.WriteFrame(filled(red)))
			check(0xf800)
			must(t, m.Halt())
			check(0)
			must(t, m.WriteFrame(filled(green)))
			check(0x07e0)
			must(t, m.Close())
			check(0)
		})
	}
}

// When the file is closed, early 6.1 kernels drop a frame that they have not begun to draw: Close
// waits until they have begun.
func TestCloseDarkens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTree(t)
		s.name(t, "graphics/fb0/name", "RPi-Sense FB")
		s.file(t, "fb0", "/dev/null")
		d := senseHAT()
		s.device.Store(d)
		m, err := s.openMatrix(nil)
		must(t, err)
		var wrote time.Time
		d.write = func(p []byte, off int64) (int, error) {
			wrote = time.Now()
			return len(p), nil
		}
		must(t, m.Close())
		if took := time.Since(wrote); took < 15*time.Millisecond || took > 25*time.Millisecond || d.closed != 1 {
			t.Errorf("closed %d times, %v after the last frame", d.closed, took)
		}

		// Close does not wait if the device was disconnected.
		if m, err = s.openMatrix(nil); err != nil {
			t.Fatal(err)
		}
		d.write = func([]byte, int64) (int, error) { return 0, unix.ENODEV }
		began := time.Now()
		if err := m.Close(); !errors.Is(err, ErrGone) || time.Since(began) > 0 {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// Whatever table another program has set, the matrix has the default one after it is opened
// and after each RestoreGamma.
func TestRestoreGamma(t *testing.T) {
	lowLight := [32]byte{0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 10, 10}
	s := newTree(t)
	path := s.file(t, "x", "/dev/null")
	for _, wrong := range [][32]byte{{}, lowLight, {31: 30}} {
		d := senseHAT()
		d.table = &[32]byte{}
		*d.table = wrong
		s.device.Store(d)
		m, err := s.openMatrix(&Opts{Framebuffer: path})
		must(t, err)
		if *d.table != gamma {
			t.Errorf("opened with %v", *d.table)
		}
		if m.RestoreGamma() {
			t.Error("the default is restored")
		}
		*d.table = wrong
		if !m.RestoreGamma() || *d.table != gamma {
			t.Errorf("restored to %v", *d.table)
		}
		must(t, m.Close())
		*d.table = wrong
		if m.RestoreGamma() || *d.table != wrong {
			t.Error("restored after Close")
		}
	}

	// A 32-bit program on a 64-bit kernel cannot read the table.
	s.device.Store(senseHAT())
	m, err := s.openMatrix(&Opts{Framebuffer: path})
	must(t, err)
	if m.RestoreGamma() {
		t.Error("restored a table that cannot be read")
	}
	must(t, m.WriteFrame(filled(red)))
}

// A matrix and a joystick that are deleted while open, and whose close never returns, do not
// block the next ones.
func TestStuckClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTree(t)
		s.name(t, "graphics/fb0/name", "RPi-Sense FB")
		s.file(t, "fb0", "/dev/null")
		s.name(t, "input/event3/device/name", "Raspberry Pi Sense HAT Joystick")
		s.file(t, "input/event3", "/dev/null")
		stuck := make(chan struct{})
		defer close(stuck)

		d := senseHAT()
		d.stuck = stuck
		s.device.Store(d)
		m, err := s.openMatrix(nil)
		must(t, err)
		d.write = func([]byte, int64) (int, error) { return 0, unix.ENODEV }
		began := time.Now()
		if err := m.Close(); !errors.Is(err, ErrGone) || time.Since(began) > time.Second {
			t.Errorf("the matrix is closed after %v: %v", time.Since(began), err)
		}
		s.device.Store(senseHAT())
		m, err = s.openMatrix(nil)
		must(t, err)
		must(t, m.Close())

		s.device.Store(&scripted{stuck: stuck})
		st, err := s.openJoystick(nil)
		must(t, err)
		began = time.Now()
		if err := st.Close(); err == nil || time.Since(began) > time.Second {
			t.Errorf("the joystick is closed after %v: %v", time.Since(began), err)
		} else {
			line(t, err, "closing the joystick")
		}
		s.device.Store(&scripted{})
		st, err = s.openJoystick(nil)
		must(t, err)
		must(t, st.Close())
	})
}

// A stuck close of a device that another process has locked, whose descriptor is kept for further
// tries, does not block either.
func TestStuckCloseWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newTree(t)
		s.name(t, "graphics/fb0/name", "RPi-Sense FB")
		s.file(t, "fb0", "/dev/null")
		stuck := make(chan struct{})
		defer close(stuck)
		d := senseHAT()
		d.stuck, d.locks = stuck, []error{unix.EWOULDBLOCK}
		s.device.Store(d)
		c := s.claim()
		_, err := c.matrix(nil)
		kinds(t, err, ErrBusy)
		began := time.Now()
		c.drop()
		if took := time.Since(began); took > time.Second {
			t.Errorf("closed after %v", took)
		}
	})
}

func TestBusyOwner(t *testing.T) {
	// The test needs a tmpfs like /dev: on a file system without its own device number (btrfs, some
	// overlays), /proc/locks and stat report different numbers.
	dir, err := os.MkdirTemp("/dev/shm", "hat")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	screen, fifo := filepath.Join(dir, "screen"), filepath.Join(dir, "stick")
	must(t, os.WriteFile(screen, nil, 0o600))
	must(t, unix.Mkfifo(fifo, 0o600))
	for what, path := range map[string]string{"matrix": screen, "joystick": fifo} {
		t.Run(what, func(t *testing.T) {
			open := func() (interface{ Close() error }, error) { return OpenMatrix(&Opts{Framebuffer: path}) }
			if what == "joystick" {
				open = func() (interface{ Close() error }, error) { return OpenJoystick(&Opts{Joystick: path}) }
			}
			holder, first, end := child(t, "hold "+what, path)
			if first != "held" {
				t.Fatal(first)
			}
			_, err := open()
			kinds(t, err, ErrBusy)
			comm, rerr := os.ReadFile(fmt.Sprintf("/proc/%d/comm", holder.Process.Pid))
			must(t, rerr)
			line(t, err, path, fmt.Sprintf("in use by process %d (%s)", holder.Process.Pid, strings.TrimSpace(string(comm))))
			if pid, name := LockOwner(path); pid != holder.Process.Pid || name != strings.TrimSpace(string(comm)) {
				t.Errorf("the owner is %d, %q", pid, name)
			}

			must(t, end.Close())
			must(t, holder.Wait())
			if pid, name := LockOwner(path); pid != 0 || name != "" {
				t.Errorf("afterwards the owner is %d, %q", pid, name)
			}
			d, err := open()
			must(t, err)
			must(t, d.Close())
		})
	}
}

func TestAwaitGone(t *testing.T) {
	for name, take := range map[string]func(path string) error{
		"removed":  os.Remove,
		"moved":    func(path string) error { return os.Rename(path, path+".away") },
		"replaced": func(path string) error { return os.Rename(path+".other", path) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "fb")
			must(t, os.WriteFile(path+".other", nil, 0o666))
			must(t, os.WriteFile(path, nil, 0o666))
			m, err := OpenMatrix(&Opts{Framebuffer: path})
			must(t, err)
			defer m.Close()
			gone := make(chan error, 1)
			go func() { gone <- m.AwaitGone(t.Context()) }()
			// Neither frames nor other changes to the file end AwaitGone.
			frame := [64]color.RGBA{{R: 255}}
			must(t, m.WriteFrame(&frame))
			must(t, os.Chmod(path, 0o600))
			select {
			case err := <-gone:
				t.Fatalf("gone too early: %v", err)
			case <-time.After(50 * time.Millisecond):
			}
			must(t, take(path))
			select {
			case err := <-gone:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(soon):
				t.Error("not noticed")
			}
		})
	}
}
