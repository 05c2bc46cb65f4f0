// Package standin controls the stand-in for the Sense HAT's LED matrix. The stand-in is a kernel
// module of this project: a framebuffer that has the name and the limits of the real one and
// reports what reached its LEDs. The module's source is in the folder module. The functions need
// root, the loaded module and debugfs; the tests of internal/dev/e2e boot a kernel with all of them.
package standin

import (
	"fmt"
	"image/color"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Module is the name of the kernel module, its debugfs folder, and its platform driver
// and device.
const Module = "sensehat_standin"

// EndsDark is a line that the kernel logs when the machine powers off or reboots, unless an LED is
// lit.
const EndsDark = Module + ": the LEDs are dark"

// Board is the kernel module that stands in for a board without a driver. To use the board, programs also need
// the module i2c-dev.
const Board = "sensehat_board"

const debugDir = "/sys/kernel/debug/" + Module + "/"

// LEDs are the board's registers 0x00 to 0xBF: for each row 8 red, 8 green and 8 blue values, 0 to
// 31, after gamma.
type LEDs [8][3][8]byte

// At returns the LED at column x and row y, both 0 to 7 from the top left.
func (l *LEDs) At(x, y int) (red, green, blue byte) {
	return l[y][0][x], l[y][1][x], l[y][2][x]
}

// String draws the LEDs as 8 lines of 8 letters: one per colour, lower case for dim
// LEDs, and dots for dark ones.
func (l LEDs) String() string {
	var s strings.Builder
	for y := range l {
		for x := range l[y][0] {
			r, g, b := l.At(x, y)
			letter, ok := letters[[3]bool{r > 0, g > 0, b > 0}]
			if !ok {
				letter = '?'
			}
			if max(r, g, b) < 31 {
				letter = unicode.ToLower(letter)
			}
			s.WriteRune(letter)
		}
		s.WriteByte('\n')
	}
	return s.String()
}

var letters = map[[3]bool]rune{
	{}: '.', {true}: 'R', {true, true}: 'Y', {false, false, true}: 'B', {false, true}: 'G', {true, true, true}: 'W',
}

// ReadLEDs returns what the LEDs show: the last frame that the kernel pushed, about
// 27.5 ms after it was written (10 ms until the flush, 17.5 ms on the bus).
func ReadLEDs() (LEDs, error) {
	var leds LEDs
	b, err := os.ReadFile(debugDir + "leds")
	if err != nil {
		return leds, fmt.Errorf("standin: read the LEDs: %w", err)
	}
	if len(b) != 192 {
		return leds, fmt.Errorf("standin: the LEDs have %d bytes, not 192", len(b))
	}
	for i, v := range b {
		leds[i/24][i/8%3][i%8] = v
	}
	return leds, nil
}

// gamma is the driver's default table, from the documentation of sense_hat's gamma.
var gamma = [32]byte{0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 17, 18, 20, 21, 23, 25, 27, 29, 31}

// Lit returns what the LEDs show for 64 pixels, row by row from the top left.
func Lit(pixels [64]color.RGBA) (leds LEDs) {
	for i, c := range pixels {
		for channel, v := range [3]byte{c.R, c.G, c.B} {
			leds[i/8][channel][i%8] = gamma[v>>3]
		}
	}
	return leds
}

// Times returns when a program last wrote a frame and when an LED last changed, both on
// CLOCK_MONOTONIC.
func Times() (written, lit time.Duration, err error) {
	w, err := readNumber("written_ns")
	if err != nil {
		return 0, 0, err
	}
	l, err := readNumber("lit_ns")
	return time.Duration(w), time.Duration(l), err
}

func readNumber(name string) (int, error) {
	b, err := os.ReadFile(debugDir + name)
	if err != nil {
		return 0, fmt.Errorf("standin: read the %s: %w", name, err)
	}
	return strconv.Atoi(strings.TrimSpace(string(b)))
}

// SetFatalClose makes closing an unplugged matrix fatal (true): the thread that closes it
// dies in the kernel and never returns.
func SetFatalClose(fatal bool) error {
	if err := os.WriteFile(debugDir+"fatal_close", []byte(map[bool]string{true: "Y", false: "N"}[fatal]), 0); err != nil {
		return fmt.Errorf("standin: %w", err)
	}
	return nil
}
