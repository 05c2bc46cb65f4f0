package hat

import "fmt"

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

// Probe reports whether the board at the Sense HAT's address on the bus is a Sense HAT, by
// its who-am-I register. It opens the bus and closes it again. It does not check for a kernel
// driver: while one is bound to the board, Probe may disturb the driver's transfers.
//
// Errors match [ErrPermission] or [ErrNotFound] if the bus cannot be opened, and [ErrGone]
// if nothing answers.
func (i *I2C) Probe() (ok bool, err error) {
	bus, err := i.bus()
	if err != nil {
		return false, err
	}
	defer bus.Close() // nothing is lost if this fails
	var id [1]byte
	board := target{i, bus, boardAddress, nil}
	if err := board.tx([]byte{regWhoAmI}, id[:]); err != nil {
		return false, &fault{fmt.Sprintf("nothing answers at 0x%x of the I²C bus %s"+reseat, boardAddress, i.Device), ErrGone, err}
	}
	return id[0]&0x7F == boardID, nil // the highest bit may be wrong if the clock is stretched
}
