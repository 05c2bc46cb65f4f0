package hattest

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/c4hat/c4hat/hat"
	"periph.io/x/conn/v3/i2c"
	"periph.io/x/conn/v3/physic"
)

// Board is a Sense HAT's board in memory, on its own I²C bus, for tests of programs that do not use
// the kernel's drivers. [NewBoard] returns one. Its methods may be called from any goroutine.
type Board struct {
	mu        sync.Mutex
	leds      [192]byte
	frames    [][192]byte // the LEDs after each transfer that reached the last LED
	keys      byte
	transfers int
	every     int // every Nth transfer fails; 0 for none
	unplugged bool
	open      int  // handles of the bus
	ctrl      byte // of the accelerometer
	axes      [3]int16
	asked     int // how often the axes were read
	sensor    lightSensor
	i2c       *hat.I2C
}

// NewBoard returns a board with its LEDs dark, lying flat.
func NewBoard() *Board {
	b := &Board{axes: [3]int16{0, 0, 1 << 14}, sensor: lightSensor{light: -1}}
	b.i2c = &hat.I2C{Open: b.Open}
	return b
}

// I2C returns the board's driver, always the same one.
func (b *Board) I2C() *hat.I2C { return b.i2c }

// Open opens the bus, with the chips at 0x46 (LEDs and keys), 0x6A (accelerometer) and, after
// Light, 0x29 (light sensor).
func (b *Board) Open() (i2c.BusCloser, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open++
	return &handle{board: b}, nil
}

// FailEvery makes every nth transfer fail, or none if n is 0. A failed write has set half of its
// LEDs.
func (b *Board) FailEvery(n int) { set(&b.mu, &b.every, n) }

// Unplug takes the board off its bus. As with a real board, only transfers show that it is gone.
func (b *Board) Unplug() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.unplugged, b.leds, b.keys = true, [192]byte{}, 0
}

// Plug puts the board back on its bus, dark.
func (b *Board) Plug() { set(&b.mu, &b.unplugged, false) }

// LEDs returns the registers of the LEDs: for each row 8 red, 8 green and 8 blue values, 0 to 31.
func (b *Board) LEDs() [192]byte { return get(&b.mu, &b.leds) }

// Frames returns all frames that the LEDs have shown so far, in order, including repeated ones.
func (b *Board) Frames() [][192]byte { return slices.Clone(get(&b.mu, &b.frames)) }

// Transfers returns how many transfers have been tried so far, including failed ones.
func (b *Board) Transfers() int { return get(&b.mu, &b.transfers) }

// Handles returns how many handles of the bus are open.
func (b *Board) Handles() int { return get(&b.mu, &b.open) }

// Press presses keys and leaves them down. They are named as on a HAT in its usual orientation.
func (b *Board) Press(keys ...hat.Key) { b.set(keys, true) }

// Release releases keys.
func (b *Board) Release(keys ...hat.Key) { b.set(keys, false) }

func (b *Board) set(keys []hat.Key, down bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, k := range keys {
		bit := byte(1) << slices.Index([]hat.Key{hat.Down, hat.Right, hat.Up, hat.Middle, hat.Left}, k)
		if b.keys &^= bit; down {
			b.keys |= bit
		}
	}
}

// Tilt sets what the accelerometer reads, in steps of 0.061 mg along the chip's axes. Until the
// first call the board lies flat.
func (b *Board) Tilt(x, y, z int16) { set(&b.mu, &b.axes, [3]int16{x, y, z}) }

// Asked returns how often the accelerometer's axes have been read.
func (b *Board) Asked() int { return get(&b.mu, &b.asked) }

type handle struct {
	board  *Board
	closed bool
}

var errBus = errors.New("hattest: remote I/O error") // like periph.io's: without an errno

func (h *handle) Tx(addr uint16, w, r []byte) error {
	b := h.board
	b.mu.Lock()
	defer b.mu.Unlock()
	b.transfers++
	fails := b.every > 0 && b.transfers%b.every == 0
	switch {
	case h.closed:
		return errors.New("hattest: the bus is closed")
	case b.unplugged:
		return errBus
	case addr == 0x6A && !fails:
		return b.accelerometer(w, r)
	case addr == 0x29 && !fails:
		return b.sensor.transfer(w, r)
	case addr != 0x46 || len(w) == 0 || fails && len(w) == 1:
		return errBus
	}
	at, values := int(w[0]), w[1:]
	if fails {
		values = values[:len(values)/2]
	}
	switch {
	case len(values) > 0 && at+len(values) <= len(b.leds):
		copy(b.leds[at:], values)
		if at+len(values) == len(b.leds) {
			b.frames = append(b.frames, b.leds)
		}
	case at == 0xF0 && len(r) == 1:
		r[0] = 's'
	case at == 0xF2 && len(r) == 1:
		r[0] = b.keys | 0x80 // as the first Pis' bus may return it
	default:
		return fmt.Errorf("hattest: unknown transfer to the board: % x", w)
	}
	if fails {
		return errBus
	}
	return nil
}

func (h *handle) SetSpeed(physic.Frequency) error { return nil }
func (h *handle) String() string                  { return "in memory" }

func (h *handle) Close() error {
	h.board.mu.Lock()
	defer h.board.mu.Unlock()
	if h.closed {
		return errors.New("hattest: the bus is closed")
	}
	h.closed = true
	h.board.open--
	return nil
}

// accelerometer answers as an LSM9DS1.
func (b *Board) accelerometer(w, r []byte) error {
	switch {
	case len(w) == 1 && w[0] == 0x0F && len(r) == 1:
		r[0] = 0x68
	case len(w) == 1 && w[0] == 0x28 && len(r) == 6:
		b.asked++
		if b.ctrl>>5 == 0 { // it is off
			break
		}
		for i, v := range b.axes {
			r[2*i], r[2*i+1] = byte(v), byte(uint16(v)>>8)
		}
	case len(w) == 1 && w[0] == 0x20 && len(r) == 1:
		r[0] = b.ctrl
	case len(w) == 2 && w[0] == 0x20 && len(r) == 0:
		b.ctrl = w[1]
	default:
		return fmt.Errorf("hattest: unknown transfer to the accelerometer: % x", w)
	}
	return nil
}

// Light gives the board a light sensor, as a Sense HAT V2 has, which counts that many steps at gain 1
// in each millisecond. A negative light removes the sensor.
func (b *Board) Light(light float64) { set(&b.mu, &b.sensor, lightSensor{light: light}) }

// lightSensor is a TCS3400.
type lightSensor struct {
	light     float64
	registers [0x20]byte // from 0x80 on
	since     time.Time  // the start of the measurement
}

// transfer answers as a TCS3400: a measurement starts when it is enabled, and is complete after its
// integration time.
func (s *lightSensor) transfer(w, r []byte) error {
	const enable, cycles, gain, id, status, clear = 0, 1, 0xF, 0x12, 0x13, 0x14
	switch {
	case s.light < 0:
		return errBus
	case len(w) == 0 || len(w) > 2 || w[0] < 0x80 || w[0] >= 0xA0 || len(r) != 2-len(w):
		return fmt.Errorf("hattest: unknown transfer to the light sensor: % x", w)
	}
	reg := w[0] & 0x1F
	if len(w) == 2 {
		s.registers[reg] = w[1]
		s.since = time.Now() // it begins anew after any change
		return nil
	}
	s.registers[id], s.registers[status] = 0x93, 0
	length := time.Duration(256-int(s.registers[cycles])) * 2780 * time.Microsecond
	if s.registers[enable]&3 == 3 && time.Since(s.since) >= length {
		steps := s.light * length.Seconds() * 1000 * [4]float64{1, 4, 16, 64}[s.registers[gain]&3]
		counts := uint16(min(steps, 65535))
		s.registers[status], s.registers[clear], s.registers[clear+1] = 1, byte(counts), byte(counts>>8)
	}
	r[0] = s.registers[reg]
	return nil
}
