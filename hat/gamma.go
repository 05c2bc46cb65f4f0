package hat

// gamma is the table by which the kernel's driver lights the LEDs (rpisense-fb.c,
// gamma_default): from a channel's highest 5 bits to the board's registers.
var gamma = [32]byte{0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 17, 18, 20, 21, 23, 25, 27, 29, 31}

// Light is how strongly a LED shines in a colour that is given as a channel of 0 to 255:
// 0 to 31, in steps of as much light each. That is the driver's usual gamma table, and
// what [I2C] does. A channel below 48 is dark.
func Brightness(channel uint8) int { return int(gamma[channel>>3]) }
