package hat_test

import (
	"errors"
	"image/color"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/hattest"
	"periph.io/x/conn/v3"
	"periph.io/x/conn/v3/i2c"
)

// narrow is a bus whose adapter is limited to transfers of 100 bytes.
type narrow struct {
	i2c.BusCloser
	longest atomic.Int64
}

var _ conn.Limits = (*narrow)(nil)

func (n *narrow) MaxTxSize() int { return 100 }

func (n *narrow) Tx(address uint16, w, r []byte) error {
	n.longest.Store(max(n.longest.Load(), int64(len(w))))
	return n.BusCloser.Tx(address, w, r)
}

// A bus and a pin that are passed to NewI2C are used, but not closed.
func TestNewI2C(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := hattest.NewBoard()
		opened, err := b.Open()
		must(t, err)
		bus, p := &narrow{BusCloser: opened}, &pin{PinIn: b.Interrupt()}
		h, err := hat.NewI2C(bus, &hat.I2COpts{Interrupt: p})
		must(t, err)
		if h.InUse() || h.String() != "Sense HAT on the I²C bus in memory" {
			t.Error(h, h.InUse())
		}
		m, err := h.OpenMatrix(nil)
		must(t, err)
		j, err := h.OpenJoystick(nil)
		must(t, err)
		events := heard(j)
		time.Sleep(2 * time.Minute)
		before := b.Transfers()
		time.Sleep(time.Hour)
		if n := b.Transfers() - before; n != 0 {
			t.Errorf("%d transfers without a press: the interrupt line is not used", n)
		}
		b.Press(hat.Left)
		if e := <-events; e != (hat.Event{Key: hat.Left, Action: hat.Press}) {
			t.Error(e)
		}
		b.Release(hat.Left)
		frame := [64]color.RGBA{63: {R: 248}}
		if err := m.WriteFrame(&frame); err != nil || b.LEDs()[7*24+7] != 31 {
			t.Errorf("%v, and the last LED has %d", err, b.LEDs()[7*24+7])
		}
		if bus.longest.Load() != 100 {
			t.Errorf("transfers of %d bytes, want at most 100", bus.longest.Load())
		}
		if err := h.Halt(); err != nil || b.LEDs() != ([192]byte{}) {
			t.Errorf("%v, and the LEDs are lit", err)
		}
		if err := m.WriteFrame(&frame); err != nil || b.LEDs()[7*24+7] != 31 {
			t.Errorf("%v, and the last LED has %d after a Halt", err, b.LEDs()[7*24+7])
		}
		if rotation, err := h.Accelerometer().Rotation(); rotation != 0 || err != nil {
			t.Error(rotation, err)
		}
		if err := errors.Join(m.Close(), j.Close()); err != nil {
			t.Error(err)
		}
		if h.InUse() || b.Handles() != 1 || p.used.Load() != 1 {
			t.Errorf("%d handles of the bus, want the owner's; the pin is used by %d", b.Handles(), p.used.Load())
		}
		if err := h.Halt(); err != nil { // without a Matrix
			t.Error(err)
		}
		frames := b.Frames()
		if n := len(slices.Compact(frames)); n != 5 { // dark, lit, dark, lit, dark
			t.Errorf("%d pictures", n)
		}
		b.Unplug()
		if _, err := hat.NewI2C(bus, nil); !errors.Is(err, hat.ErrNotFound) {
			t.Error(err)
		}
	})
}
