package hattest

import (
	"errors"
	"slices"
	"sync"

	"github.com/c4hat/c4hat/hat"
	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/physic"
)

// Board is a Sense HAT's board in memory, on its own I²C bus, for tests of programs that do not use the kernel's
// drivers. [NewBoard] returns one. Its methods may be called from any goroutine.
type Board struct {
	mu        sync.Mutex
	chips     map[uint16]*[256]byte // the registers, by the address of the chip
	frames    [][192]byte
	transfers int
	every     int // every Nth transfer fails; 0 for none
	unplugged bool
	open      int // handles of the bus
	i2c       *hat.I2C
}

// The addresses of the chips, and the registers of the keys and the ID.
const (
	main, accelerometer, light = 0x46, 0x6A, 0x29

	regID, regKeys = 0xF0, 0xF2
)

// NewBoard returns a board with its LEDs dark, lying flat, without a light sensor.
func NewBoard() *Board {
	b := &Board{chips: map[uint16]*[256]byte{main: {regID: 's', regKeys: 0x80}}} // the first Pis may add the highest bit
	b.i2c = &hat.I2C{Open: b.Open}
	b.Tilt(0, 0, 1<<14)
	return b
}

// I2C returns the board's driver, always the same one.
func (b *Board) I2C() *hat.I2C { return b.i2c }

// Open opens the bus, with the chips at 0x46 (LEDs and keys), 0x6A (accelerometer) and, after Light, 0x29 (light
// sensor).
func (b *Board) Open() (i2c.BusCloser, error) {
	b.set(func() { b.open++ })
	return &handle{board: b}, nil
}

// set changes the board.
func (b *Board) set(change func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	change()
}

// FailEvery makes every nth transfer fail, or none if n is 0. A failed write has set half of its registers.
func (b *Board) FailEvery(n int) { b.set(func() { b.every = n }) }

// Unplug takes the board off its bus. As with a real board, only transfers show that it is gone.
func (b *Board) Unplug() {
	b.set(func() { b.unplugged, *b.chips[main] = true, [256]byte{regID: 's', regKeys: 0x80} })
}

// Plug puts the board back on its bus, dark.
func (b *Board) Plug() { b.set(func() { b.unplugged = false }) }

// LEDs returns the registers of the LEDs: for each row 8 red, 8 green and 8 blue values, 0 to 31.
func (b *Board) LEDs() [192]byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return [192]byte(b.chips[main][:192])
}

// Frames returns all frames that the LEDs have shown so far, in order, including repeated ones.
func (b *Board) Frames() [][192]byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.frames)
}

// Transfers returns how many transfers have been tried so far, including failed ones.
func (b *Board) Transfers() (n int) {
	b.set(func() { n = b.transfers })
	return n
}

// Handles returns how many handles of the bus are open.
func (b *Board) Handles() (n int) {
	b.set(func() { n = b.open })
	return n
}

// keyBits are the bits of the keys in their register, by the key.
var keyBits = map[hat.Key]byte{hat.Down: 1, hat.Right: 2, hat.Up: 4, hat.Middle: 8, hat.Left: 16}

// Press presses a key and leaves it down. Keys are named as on a HAT in its usual orientation.
func (b *Board) Press(key hat.Key) { b.set(func() { b.chips[main][regKeys] |= keyBits[key] }) }

// Release releases a key.
func (b *Board) Release(key hat.Key) { b.set(func() { b.chips[main][regKeys] &^= keyBits[key] }) }

// Tilt sets what the accelerometer (an LSM9DS1) reads, in steps of 0.061 mg along the chip's axes.
func (b *Board) Tilt(x, y, z int16) {
	values := [256]byte{0x28: byte(x), byte(x >> 8), byte(y), byte(y >> 8), byte(z), byte(z >> 8)}
	b.set(func() { b.chips[accelerometer] = &values })
}

// Light gives the board a light sensor (a TCS3400, as a Sense HAT V2 has), and sets the counts of its clear channel.
func (b *Board) Light(counts uint16) {
	values := [256]byte{0x92: 0x93, 0x93: 1, byte(counts), byte(counts >> 8)}
	b.set(func() { b.chips[light] = &values })
}

// handle is the bus for one who has opened it.
type handle struct {
	board  *Board
	closed bool
}

// errBus is like periph.io's errors: without an errno.
var errBus = errors.New("hattest: remote I/O error")

// Tx writes registers of a chip, and then reads some, from the register on whose number is the first byte of w.
func (h *handle) Tx(address uint16, w, r []byte) error {
	b := h.board
	b.mu.Lock()
	defer b.mu.Unlock()
	b.transfers++
	chip, fails := b.chips[address], b.every > 0 && b.transfers%b.every == 0
	if chip == nil || b.unplugged || h.closed || len(w) == 0 {
		return errBus
	}
	values := w[1:]
	if fails {
		values = values[:len(values)/2]
	}
	n := copy(chip[w[0]:], values)
	if address == main && int(w[0])+n == 192 {
		b.frames = append(b.frames, [192]byte(chip[:192]))
	}
	if fails {
		return errBus
	}
	copy(r, chip[w[0]:])
	return nil
}

func (h *handle) SetSpeed(physic.Frequency) error { return nil }
func (h *handle) String() string                  { return "in memory" }

// Close closes the handle.
func (h *handle) Close() error {
	if h.closed {
		return errors.New("hattest: the bus is closed")
	}
	h.board.set(func() { h.closed, h.board.open = true, h.board.open-1 })
	return nil
}
