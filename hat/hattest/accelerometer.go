package hattest

import "fmt"

// Tilt sets what the accelerometer reads, in steps of 0.061 mg along the chip's axes. Until the
// first call the board lies flat.
func (b *Board) Tilt(x, y, z int16) { set(&b.mu, &b.axes, [3]int16{x, y, z}) }

// Asked returns how often the accelerometer's axes have been read.
func (b *Board) Asked() int { return get(&b.mu, &b.asked) }

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
