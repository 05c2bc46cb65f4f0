// Package hat drives the Raspberry Pi Sense HAT: its 8×8 LED matrix and its joystick,
// through the kernel's drivers (a framebuffer and an evdev device) or over I²C.
//
// The matrix and the joystick are two devices. Each can be opened, and can fail, without the other:
//
//	m, err := hat.OpenMatrix(nil)
//	if err != nil {
//		return err // one line that says what is missing and what to do
//	}
//	defer m.Close() // turns off the LEDs
//	var frame [64]color.RGBA
//	frame[0] = color.RGBA{R: 248, A: 255} // top left
//	return m.WriteFrame(&frame)
//
// A program that must keep running while the HAT is missing, busy or unplugged tries again each second,
// also after each [ErrGone]. [I2C] drives the board without the kernel's drivers, over an I²C bus
// opened with periph.io, and reads the HAT's sensors. Package hat/emulator drives the emulator of the
// Raspberry Pi desktop, and hat/hattest provides a HAT in memory for tests.
//
// The package follows the kernel's drivers, drivers/video/fbdev/rpisense-fb.c and
// drivers/input/joystick/rpisense-js.c of raspberrypi/linux (mainline has a driver only for the
// joystick, sensehat-joystick.c), and is tested on real kernels.
//
// On systems other than Linux the package compiles, but opening a kernel device fails with [ErrNotFound].
package hat

import (
	"cmp"
	"fmt"
)

// Opts says where the HAT is. The zero value and nil mean a HAT that is found by the names that the kernel gives
// its devices. For a HAT that is mounted turned, see [Matrix.Rotate].
type Opts struct {
	// Framebuffer is the matrix's device file. "" finds the framebuffer that the kernel calls "RPi-Sense FB" (fb1 if
	// there is another screen, fb0 if not). Framebuffer may also name a regular file of 8×8 RGB565 pixels in the
	// machine's byte order, 128 bytes; a shorter file is extended.
	Framebuffer string

	// Joystick is the joystick's device file. "" finds the input device that the kernel calls "Raspberry Pi Sense HAT
	// Joystick". A FIFO or a regular file of input_event records may take its place.
	Joystick string

	// I2C, if not nil, drives the HAT's board directly while the kernel has no device for the HAT, if no path is given
	// above. Its fields Device and Open must be set, and an open matrix holds an exclusive flock on the Device.
	I2C *I2C
}

// quarters returns a rotation in quarter turns.
func quarters(degrees int) (int, error) {
	if degrees%90 != 0 || degrees < 0 || degrees > 270 {
		return 0, fmt.Errorf("hat: cannot rotate the picture by %d degrees: choose 0, 90, 180 or 270", degrees)
	}
	return degrees / 90, nil
}

// Event is a press, hold or release of one of the joystick's keys.
//
// A Hold or Release of a key always follows its Press, under the same name: a key that was already
// down when the joystick was opened is not reported until it is pressed again.
type Event struct {
	Key    Key    // as the viewer of the rotated picture sees it
	Action Action // what happened to the key
}

// Key is one of the joystick's five contacts, named as the viewer of the rotated picture sees them.
type Key uint8

// The directions are in clockwise order: a quarter turn of the HAT is one step in this list.
const (
	Up Key = iota + 1
	Right
	Down
	Left
	Middle
)

var keyNames = map[Key]string{Up: "up", Right: "right", Down: "down", Left: "left", Middle: "middle"}

// String returns the key's name in lower case.
func (k Key) String() string { return cmp.Or(keyNames[k], fmt.Sprintf("Key(%d)", uint8(k))) }

// Action is what happened to a key.
type Action uint8

// Press, Release and Hold are the actions. Hold is the kernel's autorepeat: it comes 250 ms after the Press, and then
// about every 40 ms. It stops when any key is released, even if another is still down.
const (
	Press Action = iota + 1
	Release
	Hold
)

var actionNames = map[Action]string{Press: "press", Release: "release", Hold: "hold"}

// String returns the action's name in lower case.
func (a Action) String() string { return cmp.Or(actionNames[a], fmt.Sprintf("Action(%d)", uint8(a))) }

// The names that the kernel gives the HAT's devices, in mainline and in Raspberry Pi OS.
const (
	MatrixName   = "RPi-Sense FB"
	JoystickName = "Raspberry Pi Sense HAT Joystick"
)

// Device is one of the kernel's framebuffers or input devices, whether the HAT's or not.
type Device struct {
	Name string // the name that the kernel gives it, such as [MatrixName]
	Path string // the path of its device file, such as /dev/fb0
}
