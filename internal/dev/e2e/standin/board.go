package standin

import "fmt"

// Board is the kernel module that stands in for a board without a driver: see the functions whose
// names begin with Board. To use the board, programs also need the module i2c-dev.
const Board = "sensehat_board"

const boardDir = "/sys/kernel/debug/" + Board + "/"

// BoardLEDs returns what the board's LEDs show.
func BoardLEDs() (LEDs, error) { return readLEDs(boardDir) }

// BoardLongest returns the length of the longest transfer so far, in bytes.
func BoardLongest() (int, error) { return readNumber(boardDir, "longest") }

// BoardKeys holds keys down and releases the others. The bits, from the lowest, are down, right,
// up, middle and left.
func BoardKeys(down byte) error { return write(boardDir+"keys", fmt.Sprint(down)) }

// BoardFails makes the next n transfers fail.
func BoardFails(n int) error { return write(boardDir+"failing", fmt.Sprint(n)) }

// BoardTwin adds a second GPIO controller with the name of the first (true), or removes it.
func BoardTwin(there bool) error {
	return write(boardDir+"twin", map[bool]string{true: "1", false: "0"}[there])
}

// BoardFlips sets the highest bit of what the board answers (true), as the first Pis' bus may.
func BoardFlips(flips bool) error { return write(boardDir+"flip_msb", yesNo(flips)) }

// BoardPulled pulls the board off its bus (true) or puts it back.
func BoardPulled(off bool) error { return write(boardDir+"pulled", yesNo(off)) }
