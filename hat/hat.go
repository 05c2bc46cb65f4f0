// Package hat drives the Raspberry Pi Sense HAT through the kernel's own
// drivers: the 8×8 LED matrix as a framebuffer, the joystick as an evdev
// device. Where the kernel has none it can drive the board itself, see [I2C].
//
// Matrix and joystick are two devices. They open, fail and come back
// separately:
//
//	m, err := hat.OpenMatrix(nil)
//	if err != nil {
//		return err // one line: what is missing, and what to do
//	}
//	defer m.Close() // leaves the LEDs dark
//	var frame [64]color.RGBA
//	frame[0] = color.RGBA{R: 248, A: 255} // top left
//	return m.WriteFrame(&frame)
//
// A program that has to outlive a missing, busy or unplugged HAT calls
// [AwaitMatrix] and [AwaitJoystick] instead, again after each [ErrGone]. [Emulator] has
// the same functions for the HAT in a window of the Raspberry Pi desktop.
//
// What the package knows of the HAT it has from the kernel's drivers, in
// drivers/video/fbdev/rpisense-fb.c and drivers/input/joystick/rpisense-js.c of
// raspberrypi/linux (the mainline kernel has the joystick's, sensehat-joystick.c),
// and has seen of them on real kernels.
//
// On systems other than Linux everything compiles and every open says that
// there is no Sense HAT. Package hat/hattest has a HAT in memory, for tests.
package hat

import "fmt"

// Opts says where the HAT is and how it is mounted. The zero value, and nil,
// stand for a HAT found by its kernel names, the usual way up.
type Opts struct {
	// Framebuffer is the matrix's device file; "" looks for the framebuffer
	// the kernel calls "RPi-Sense FB" (fb1 beside a screen, fb0 without).
	// A regular file is taken for 8×8 pixels of RGB565 in the machine's byte
	// order, 128 bytes, and is extended when shorter.
	Framebuffer string

	// Joystick is the joystick's device file; "" looks for the input device the
	// kernel calls "Raspberry Pi Sense HAT Joystick". A FIFO or a regular
	// file may stand for it, holding the kernel's input_event records.
	Joystick string

	// I2C, if not nil, is the way to a HAT that the kernel has no devices of, for what
	// is not given above. See [I2C].
	I2C *I2C

	// Rotate turns the picture clockwise by 0, 90, 180 or 270 degrees as seen
	// by someone looking at a HAT in its usual orientation (0: the Pi's HDMI
	// socket points down, towards the viewer), and the joystick with it. So it
	// mends a HAT mounted turned anticlockwise by as much: with 90, the edge
	// that is on the right in the usual orientation is the top of the picture,
	// and pushing the joystick towards that edge is Up. The angles are those of
	// python-sense-hat's set_rotation. Other numbers are an error wherever a
	// device is opened with them.
	Rotate int
}

// turns is Rotate in quarter turns.
func (o *Opts) turns() (int, error) {
	if o == nil {
		return 0, nil
	}
	return quarters(o.Rotate)
}

func quarters(degrees int) (int, error) {
	switch degrees {
	case 0, 90, 180, 270:
		return degrees / 90, nil
	}
	return 0, fmt.Errorf("hat: cannot turn the picture by %d degrees: choose 0, 90, 180 or 270", degrees)
}

// Event is one change of the joystick.
//
// A Hold or Release of a key always follows its Press: one that was pressed
// before the joystick was opened is first heard of when pressed again.
type Event struct {
	Key    Key    // of the turned picture
	Action Action // what happened to it
}

// Key is one of the joystick's five contacts, named as the viewer of the
// (turned) picture sees them.
type Key uint8

// The directions stand in clockwise order: a quarter turn of the HAT is one
// step in this list.
const (
	Up Key = iota + 1
	Right
	Down
	Left
	Middle
)

// String returns the key's name in lower case.
func (k Key) String() string {
	switch k {
	case Up:
		return "up"
	case Right:
		return "right"
	case Down:
		return "down"
	case Left:
		return "left"
	case Middle:
		return "middle"
	}
	return fmt.Sprintf("Key(%d)", uint8(k))
}

// Action is what happened to a key.
type Action uint8

// Hold is the kernel's autorepeat: first 250 ms after the Press, then about
// every 40 ms. It stops when any key is released, even if another is down.
const (
	Press Action = iota + 1
	Release
	Hold
)

// String returns the action's name in lower case.
func (a Action) String() string {
	switch a {
	case Press:
		return "press"
	case Release:
		return "release"
	case Hold:
		return "hold"
	}
	return fmt.Sprintf("Action(%d)", uint8(a))
}
