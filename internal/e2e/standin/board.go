package standin

import "fmt"

// Board is the kernel module of the board itself, without a driver: see the functions
// whose names begin with it. It needs i2c-dev to be of use to programs.
const Board = "sensehat_board"

const boardDir = "/sys/kernel/debug/" + Board + "/"

// BoardLEDs returns what the LEDs of the board show.
func BoardLEDs() (LEDs, error) { return readLEDs(boardDir) }

// BoardLongest returns the bytes of the longest transfer with the board so far.
func BoardLongest() (int, error) { return readNumber(boardDir, "longest") }

// BoardKeys holds keys of the board down, by their bits from the lowest: down, right, up,
// middle, left. The others are let go.
func BoardKeys(down byte) error { return write(boardDir+"keys", fmt.Sprint(down)) }

// BoardFails has the next n transfers fail.
func BoardFails(n int) error { return write(boardDir+"failing", fmt.Sprint(n)) }

// BoardPulled pulls the board off its bus (true) or puts it back.
func BoardPulled(off bool) error { return write(boardDir+"pulled", yesNo(off)) }
