// Package vtconsole keeps the kernel's text console off the HAT's matrix.
package vtconsole

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"github.com/c4hat/c4hat/hat"
	"golang.org/x/sys/unix"
)

// Place keeps the text console off the matrix, and moves it to the first other framebuffer, if
// there is one: until the kernel loads a screen's driver, the matrix can be the only framebuffer, and the console
// does not leave it by itself.
func Place() error {
	framebuffers, _ := hat.Devices()
	return console{"/sys/class/vtconsole", At, move}.place(framebuffers)
}

// console is the kernel's text console on framebuffers (Documentation/fb/fbcon.rst), which go by their numbers.
type console struct {
	drivers string // the folder of the kernel's consoles
	at      func(framebuffer int) (int, error)
	move    func(framebuffer int) error
}

func (c console) place(framebuffers []hat.Device) error {
	matrix, screen := -1, -1
	for _, d := range framebuffers {
		switch n, _ := strconv.Atoi(strings.TrimPrefix(d.Path, "/dev/fb")); {
		case d.Name == hat.MatrixName:
			matrix = n
		case screen < 0 || n < screen:
			screen = n
		}
	}
	names, _ := filepath.Glob(filepath.Join(c.drivers, "vtcon*/name"))
	for _, file := range names {
		if name, _ := os.ReadFile(file); matrix < 0 || !strings.Contains(string(name), "frame buffer device") {
			continue
		}
		bind := filepath.Join(filepath.Dir(file), "bind")
		bound, err := os.ReadFile(bind)
		if err == nil && string(bound) == "1\n" {
			if at, err := c.at(max(screen, 0)); err == nil && at != matrix {
				return nil
			}
			err = os.WriteFile(bind, []byte("0"), 0)
		}
		if err == nil && screen >= 0 {
			err = c.move(screen)
		}
		return err
	}
	return nil
}

// consoleMap is the record of a framebuffer's ioctl calls about consoles (include/uapi/linux/fb.h).
type consoleMap struct{ console, framebuffer uint32 }

const (
	getConsoleMap = 0x460F
	putConsoleMap = 0x4610
)

// At asks a framebuffer which one shows the first console.
func At(framebuffer int) (int, error) {
	m := consoleMap{console: 1}
	err := m.ioctl(framebuffer, getConsoleMap)
	return int(m.framebuffer), err
}

// move maps the first console to a framebuffer. While no console is bound, that binds all of them
// (fbcon.c, set_con2fb_map).
func move(framebuffer int) error {
	m := consoleMap{1, uint32(framebuffer)}
	return m.ioctl(framebuffer, putConsoleMap)
}

func (m *consoleMap) ioctl(framebuffer int, call uintptr) error {
	f, err := os.OpenFile(fmt.Sprintf("/dev/fb%d", framebuffer), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), call, uintptr(unsafe.Pointer(m))); errno != 0 {
		return os.NewSyscallError("the text console's framebuffer: ioctl", errno)
	}
	return nil
}
