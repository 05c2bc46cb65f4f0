package pi

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
	"periph.io/x/conn/v3/gpio"
)

// line is the GPIO line of the HAT's keys; it waits for rising edges. It uses the second version of
// the kernel's interface (include/uapi/linux/gpio.h) itself: if a controller has two names, as
// gpiochip0 on Raspberry Pi OS, periph.io's gpioioctl closes a file twice, and standard input too
// (GPIOChip.Close in v3.8.5).
type line struct {
	gpio.PinIn // gpio.INVALID, for what package hat does not use
	controller string
	events     *os.File // nil before In; the methods of a nil or closed file fail
}

// The ioctl calls and their records.
const (
	gpioGetChipinfo = 0x8044B401
	gpioV2GetLine   = 0xC250B407

	gpioV2LineFlagInput      = 1 << 2
	gpioV2LineFlagEdgeRising = 1 << 4

	gpioV2LineEvent = 48 // bytes
)

type gpioChipInfo struct {
	_, label [32]byte
	lines    uint32
}

type gpioV2LineRequest struct {
	offsets  [64]uint32
	consumer [32]byte
	flags    uint64
	_        [33]uint64 // attributes: none are set
	lines    uint32
	_        [6]uint32
	fd       int32
}

// keysGPIO is the interrupt line of the HAT's keys.
const keysGPIO = 23

// KeysLine returns the interrupt line of the HAT's keys: GPIO23 of the controller of the pins
// ("pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"). It returns nil if there is no such
// controller, or more than one: then nothing tells which of them has the pins.
func KeysLine() gpio.PinIn {
	paths, _ := filepath.Glob("/dev/gpiochip*")
	controller := ""
	numbers := map[uint64]bool{} // one device may have two names, as gpiochip0 and gpiochip4 on Raspberry Pi OS
	for _, path := range paths {
		var info gpioChipInfo
		if ioctl(path, os.O_RDONLY, "ioctl", gpioGetChipinfo, unsafe.Pointer(&info)) != nil {
			continue
		}
		label := unix.ByteSliceToString(info.label[:])
		if !strings.HasPrefix(label, "pinctrl-") || info.lines <= keysGPIO {
			continue
		}
		var file unix.Stat_t
		if unix.Stat(path, &file) == nil {
			controller, numbers[uint64(file.Rdev)] = path, true
		}
	}
	if len(numbers) != 1 {
		return nil
	}
	return &line{PinIn: gpio.INVALID, controller: controller}
}

// ioctl makes a call of a device. name is what the call's error says.
func ioctl(path string, flag int, name string, call uintptr, record unsafe.Pointer) error {
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), call, uintptr(record)); errno != 0 {
		return os.NewSyscallError(name, errno)
	}
	return nil
}

// In reserves the line until Close, for rising edges, whatever its arguments.
func (l *line) In(gpio.Pull, gpio.Edge) error {
	r := gpioV2LineRequest{flags: gpioV2LineFlagInput | gpioV2LineFlagEdgeRising, lines: 1}
	r.offsets[0] = keysGPIO
	copy(r.consumer[:], "c4hat")
	if err := ioctl(l.controller, os.O_RDONLY, "ioctl", gpioV2GetLine, unsafe.Pointer(&r)); err != nil {
		return err
	}
	// Non-blocking, so that Halt can end a wait.
	if err := unix.SetNonblock(int(r.fd), true); err != nil {
		unix.Close(int(r.fd)) // nothing was written
		return err
	}
	l.events = os.NewFile(uintptr(r.fd), l.String())
	return nil
}

// WaitForEdge waits for an edge, and reports whether there was one. A negative timeout means no
// limit.
func (l *line) WaitForEdge(timeout time.Duration) bool {
	var until time.Time
	if timeout >= 0 {
		until = time.Now().Add(timeout)
	}
	if l.events.SetReadDeadline(until) != nil {
		return false
	}
	var event [gpioV2LineEvent]byte
	_, err := l.events.Read(event[:])
	return err == nil
}

func (l *line) Halt() error { return l.events.SetReadDeadline(time.Unix(1, 0)) }

func (l *line) Close() { l.events.Close() } // nothing was written

func (l *line) String() string { return fmt.Sprintf("%s line %d", l.controller, keysGPIO) }

// Memory returns the size of the memory in bytes, or 0 if it is unknown.
func Memory() uint64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return uint64(info.Totalram) * uint64(info.Unit)
}
