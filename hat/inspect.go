package hat

import "fmt"

// The kernel's names of the HAT's devices, in mainline and in Raspberry Pi OS.
const (
	MatrixName   = "RPi-Sense FB"
	JoystickName = "Raspberry Pi Sense HAT Joystick"
)

// Device is a device of the kernel: one of the HAT's, or another of the same kind.
type Device struct {
	Name string // the kernel's, such as [MatrixName]
	Path string // of its file, such as /dev/fb0
}

// DefaultGamma is the gamma table with which the kernel's driver starts. [Gamma] reads the
// one it has now, [Light] describes its values.
func DefaultGamma() [32]byte { return gamma }

// Probe reports whether the board at the Sense HAT's address on the bus is a Sense HAT, by
// its who-am-I register. It opens the bus and closes it again, and does not check for
// drivers: while one is bound to the board, call it only if its transfers may be disturbed.
//
// Errors match [ErrPermission] or [ErrNotFound] if the bus cannot be opened, and [ErrGone]
// if nothing answers.
func (i *I2C) Probe() (ok bool, err error) {
	bus, err := i.bus()
	if err != nil {
		return false, err
	}
	defer bus.Close() // an error loses nothing
	var id [1]byte
	if err := i.tx(bus, boardAddress, []byte{regWhoAmI}, id[:], nil); err != nil {
		return false, &fault{fmt.Sprintf("nothing answers at 0x%x of the I²C bus %s"+reseat, boardAddress, i.Device), ErrGone, err}
	}
	return id[0]&0x7F == boardID, nil // the highest bit may be wrong if the clock is stretched
}
