package hat

// gamma is the default gamma table of the kernel's driver (rpisense-fb.c, gamma_default): the index
// is a channel's highest 5 bits, the value goes to the board's register.
var gamma = [32]byte{0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 17, 18, 20, 21, 23, 25, 27, 29, 31}

// Brightness returns the brightness of an LED, 0 to 31 in equal steps of light, for a value of a
// channel (red, green or blue), 0 to 255. It follows the default gamma table of the kernel's driver
// (rpisense-fb.c, gamma_default), which [I2C] uses too. Values below 48 are dark.
func Brightness(channel uint8) int { return int(gamma[channel>>3]) }

// DefaultGamma returns the gamma table that the kernel's driver starts with. [Gamma] reads the
// driver's current table, and describes the format.
func DefaultGamma() [32]byte { return gamma }
