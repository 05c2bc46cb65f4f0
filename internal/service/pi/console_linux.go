package pi

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// consoles is the kernel's text console on framebuffers (Documentation/fb/fbcon.rst).
type consoles struct {
	root string
	at   func(screen int) (framebuffer int, err error) // where the first console is
	move func(screen int) error                        // binds the consoles to a screen
}

// PlaceConsole keeps the text console off the framebuffer with the matrix's name. It moves the
// console to the first other framebuffer, if there is one: until the kernel loads a screen's driver,
// the matrix can be the only framebuffer, and the console does not leave it by itself.
func PlaceConsole(matrix string) error { return kernelConsoles.place(matrix) }

// ConsoleAt returns the framebuffer that shows the text console, by its number. It asks the
// framebuffer with the number screen.
func ConsoleAt(screen int) (int, error) { return kernelConsoles.at(screen) }

func (c *consoles) place(matrix string) error {
	on, screen := -1, -1
	names, _ := filepath.Glob(filepath.Join(c.root, "sys/class/graphics/fb[0-9]*/name"))
	for _, file := range names {
		name, err := os.ReadFile(file)
		n, bad := strconv.Atoi(strings.TrimPrefix(filepath.Base(filepath.Dir(file)), "fb"))
		switch {
		case err != nil || bad != nil: // it was just removed
		case strings.TrimSpace(string(name)) == matrix:
			on = n
		case screen < 0 || n < screen:
			screen = n
		}
	}
	drivers, _ := filepath.Glob(filepath.Join(c.root, "sys/class/vtconsole/vtcon*/name"))
	for _, file := range drivers {
		if name, _ := os.ReadFile(file); on < 0 || !strings.Contains(string(name), "frame buffer device") {
			continue
		}
		bind := filepath.Join(filepath.Dir(file), "bind")
		bound, err := os.ReadFile(bind)
		if err == nil && strings.TrimSpace(string(bound)) == "1" {
			if at, err := c.at(max(screen, 0)); err == nil && at != on {
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

// The ioctl calls of a framebuffer about consoles, and their record (include/uapi/linux/fb.h).
const (
	getConsoleMap = 0x460F
	putConsoleMap = 0x4610
)

type consoleMap struct{ console, framebuffer uint32 }

var kernelConsoles = &consoles{
	root: "/",
	at: func(screen int) (int, error) {
		m := consoleMap{console: 1}
		err := m.ioctl(screen, getConsoleMap)
		return int(m.framebuffer), err
	},
	// While no console is bound, the first one that is mapped binds all of them (fbcon.c,
	// set_con2fb_map).
	move: func(screen int) error {
		m := consoleMap{1, uint32(screen)}
		return m.ioctl(screen, putConsoleMap)
	},
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
