package hat

// gamma is the default gamma table of the kernel's driver (rpisense-fb.c, gamma_default):
// from a channel's highest 5 bits to the board's registers.
var gamma = [32]byte{0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 17, 18, 20, 21, 23, 25, 27, 29, 31}

// Brightness returns how bright an LED is for a channel (red, green or blue) of 0 to 255: 0
// to 31, in equal steps of light. It follows the default gamma table of the kernel's driver
// (rpisense-fb.c, gamma_default), which [I2C] uses too. A channel below 48 is dark.
func Brightness(channel uint8) int { return int(gamma[channel>>3]) }

// DefaultGamma returns the gamma table with which the kernel's driver starts. [Gamma] reads the
// driver's current table, and describes the values.
func DefaultGamma() [32]byte { return gamma }
