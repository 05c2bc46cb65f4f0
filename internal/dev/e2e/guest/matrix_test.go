//go:build guest

package guest

import (
	"bytes"
	"errors"
	"flag"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
)

// screen returns the matrix's device node, found by name as the program finds it.
func screen(t *testing.T) string {
	t.Helper()
	names, _ := filepath.Glob("/sys/class/graphics/fb*/name")
	for _, name := range names {
		if b, err := os.ReadFile(name); err == nil && strings.TrimSpace(string(b)) == "RPi-Sense FB" {
			return "/dev/" + filepath.Base(filepath.Dir(name))
		}
	}
	t.Fatalf("no framebuffer RPi-Sense FB among %v", names)
	return ""
}

func openScreen(t *testing.T) *os.File {
	t.Helper()
	f, err := os.OpenFile(screen(t), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func ioctl(f *os.File, request uintptr, arg unsafe.Pointer) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), request, uintptr(arg)); errno != 0 {
		return errno
	}
	return nil
}

// bitfield, varScreeninfo and fixScreeninfo are from include/uapi/linux/fb.h.
type bitfield struct{ Offset, Length, MSBRight uint32 }

type varScreeninfo struct {
	XRes, YRes, XResVirtual, YResVirtual, XOffset, YOffset uint32
	BitsPerPixel, Grayscale                                uint32
	Red, Green, Blue, Transp                               bitfield
	_                                                      [20]uint32
}

type fixScreeninfo struct {
	ID                    [16]byte
	_                     uintptr
	SmemLen               uint32
	Type, TypeAux, Visual uint32
	XPan, YPan, YWrap     uint16
	LineLength            uint32
	_                     uintptr
	MMIOLen, Accel        uint32
	Capabilities, _, _    uint16
}

var node = flag.String("node", "/dev/fb0", "the device node that the matrix must have")

func TestMatrixNode(t *testing.T) {
	if got := screen(t); got != *node {
		t.Errorf("the matrix is %s, want %s", got, *node)
	}
}

func TestMatrixLayout(t *testing.T) {
	f := openScreen(t)
	var v varScreeninfo
	if err := ioctl(f, 0x4600, unsafe.Pointer(&v)); err != nil {
		t.Fatal("FBIOGET_VSCREENINFO:", err)
	}
	want := varScreeninfo{
		XRes: 8, YRes: 8, XResVirtual: 8, YResVirtual: 8, BitsPerPixel: 16,
		Red: bitfield{11, 5, 0}, Green: bitfield{5, 6, 0}, Blue: bitfield{0, 5, 0},
	}
	if v != want {
		t.Errorf("FBIOGET_VSCREENINFO: %+v, want %+v", v, want)
	}
	var fix fixScreeninfo
	if err := ioctl(f, 0x4602, unsafe.Pointer(&fix)); err != nil {
		t.Fatal("FBIOGET_FSCREENINFO:", err)
	}
	if id := unix.ByteSliceToString(fix.ID[:]); id != "RPi-Sense FB" || fix.SmemLen != 128 || fix.LineLength != 16 {
		t.Errorf("FBIOGET_FSCREENINFO: %q, %d bytes, %d a line; want RPi-Sense FB, 128, 16", id, fix.SmemLen, fix.LineLength)
	}
}

// frame is a picture in which each pixel has a different colour, none of which the gamma
// table makes dark.
func frame() []byte {
	b := make([]byte, 0, 128)
	for i := range 64 {
		pixel := (8+i%24)<<11 | (63-i%40)<<5 | (8 + i/4)
		b = append(b, byte(pixel), byte(pixel>>8))
	}
	return b
}

// lit returns what the LEDs show for a picture.
func lit(picture []byte) standin.LEDs {
	var pixels [64]color.RGBA
	for i := range pixels {
		pixel := int(picture[2*i]) | int(picture[2*i+1])<<8
		pixels[i] = color.RGBA{R: byte(pixel >> 11 << 3), G: byte(pixel >> 5 & 63 << 2), B: byte(pixel & 31 << 3)}
	}
	return standin.Lit(pixels)
}

// show writes a picture and waits until the LEDs show it.
func show(t *testing.T, f *os.File, picture []byte) {
	t.Helper()
	if n, err := f.WriteAt(picture, 0); n != 128 || err != nil {
		t.Fatalf("pwrite: %d, %v", n, err)
	}
	eventually(t, func() (bool, any) { leds := readLEDs(t); return leds == lit(picture), leds })
}

// showFrame shows a dark frame and then frame(): when the LEDs have changed twice, no earlier write
// is still pending.
func showFrame(t *testing.T, f *os.File) {
	t.Helper()
	show(t, f, make([]byte, 128))
	show(t, f, frame())
}

func TestMatrixWrite(t *testing.T) {
	showFrame(t, openScreen(t))
}

func TestMatrixFlushDeferred(t *testing.T) {
	f := openScreen(t)
	showFrame(t, f)
	pushes, start := readPushes(t), time.Now()
	dark := make([]byte, 128)
	f.WriteAt(dark, 0)
	leds := readLEDs(t)
	// On a busy machine the test may be too late to see this.
	if leds != lit(frame()) && time.Since(start) < 17*time.Millisecond {
		t.Error("the LEDs changed before the bus transfer can have finished")
	}
	got := make([]byte, 128)
	if n, err := f.ReadAt(got, 0); n != 128 || !bytes.Equal(got, dark) {
		t.Errorf("the framebuffer does not hold what was written: %x, %v", got, err)
	}
	eventually(t, func() (bool, any) { leds := readLEDs(t); return leds == lit(dark), leds })
	time.Sleep(60 * time.Millisecond)
	if n := readPushes(t) - pushes; n != 1 {
		t.Errorf("%d frames pushed for one write", n)
	}
}

func TestMatrixLimits(t *testing.T) {
	f := openScreen(t)
	picture := frame()
	long := append(bytes.Clone(picture), 1, 2, 3, 4)
	if n, err := unix.Write(int(f.Fd()), picture); n != 128 || err != nil {
		t.Fatalf("first write: %d, %v", n, err)
	}
	if _, err := unix.Write(int(f.Fd()), picture); err != unix.ENOSPC {
		t.Errorf("second write without a seek: %v, want ENOSPC", err)
	}
	f.WriteAt(make([]byte, 128), 0)
	// Since Linux 6.4, a long write is cut short without an error ("fbdev: Return number
	// of bytes read or written").
	if n, err := unix.Pwrite(int(f.Fd()), long, 0); err != unix.EFBIG && (n != 128 || err != nil) {
		t.Errorf("write of %d bytes: %d, %v; want 128 or EFBIG", len(long), n, err)
	}
	got := make([]byte, 128)
	f.ReadAt(got, 0)
	if !bytes.Equal(got, picture) {
		t.Errorf("the framebuffer then holds %x, want the first 128 bytes", got)
	}
	if err := ioctl(f, 0x4611, nil); err != unix.EINVAL {
		t.Errorf("FBIOBLANK: %v, want EINVAL", err)
	}
}

func TestMatrixGamma(t *testing.T) {
	f := openScreen(t)
	var table [32]byte
	err := ioctl(f, 0xF100, unsafe.Pointer(&table))
	if unsafe.Sizeof(uintptr(0)) == 4 {
		if err != unix.ENOTTY {
			t.Errorf("gamma from a 32-bit program: %v, want ENOTTY", err)
		}
		return
	}
	if err != nil || table[5] != 0 || table[6] != 1 || table[31] != 31 {
		t.Errorf("default gamma: %v, %v", table, err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), 0xF102, 1); errno != 0 {
		t.Error("low light:", errno)
	}
	if err := ioctl(f, 0xF100, unsafe.Pointer(&table)); err != nil || table[31] != 10 {
		t.Errorf("low-light gamma: %v, %v", table, err)
	}
	for i := range table {
		table[i] = byte(i)
	}
	if err := ioctl(f, 0xF101, unsafe.Pointer(&table)); err != nil {
		t.Error("set gamma:", err)
	}
	f.WriteAt(bytes.Repeat([]byte{3, 0}, 64), 0)
	eventually(t, func() (bool, any) {
		leds := readLEDs(t)
		_, _, blue := leds.At(4, 4)
		return blue == 3, leds
	})
	if err := ioctl(f, 0xF102, nil); err != nil {
		t.Error("default gamma again:", err)
	}
}

func TestMatrixDeadBus(t *testing.T) {
	f := openScreen(t)
	showFrame(t, f)
	pushes := readPushes(t)
	if err := standin.SetDead(true); err != nil {
		t.Fatal(err)
	}
	n, err := f.WriteAt(bytes.Repeat([]byte{0xff}, 128), 0)
	if n != 128 || err != nil {
		t.Errorf("pwrite: %d, %v, want no error", n, err)
	}
	eventually(t, func() (bool, any) { n := readPushes(t); return n == pushes+1, n })
	if readLEDs(t) != lit(frame()) {
		t.Error("the LEDs changed")
	}
	if err := standin.SetDead(false); err != nil {
		t.Fatal(err)
	}
}

func TestMatrixReplug(t *testing.T) {
	f := openScreen(t)
	node := f.Name()
	if err := standin.Unplug(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(make([]byte, 128), 0); !errors.Is(err, unix.ENODEV) {
		t.Errorf("write after unplugging: %v, want ENODEV", err)
	}
	if _, err := os.Stat(node); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s after unplugging: %v", node, err)
	}
	if err := standin.Plug(); err != nil {
		t.Fatal(err)
	}
	again := openScreen(t)
	if n, err := again.WriteAt(make([]byte, 128), 0); n != 128 || err != nil {
		t.Errorf("write after plugging in again: %d, %v", n, err)
	}
}

func readLEDs(t *testing.T) standin.LEDs {
	t.Helper()
	leds, err := standin.ReadLEDs()
	if err != nil {
		t.Fatal(err)
	}
	return leds
}

func readPushes(t *testing.T) int {
	t.Helper()
	n, err := standin.Pushes()
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// eventually fails the test unless ok returns true within a minute.
func eventually(t *testing.T, ok func() (bool, any)) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(2 * time.Millisecond) {
		done, state := ok()
		if done {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("timed out: %v", state)
		}
	}
}
