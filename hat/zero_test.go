package hat_test

import (
	"context"
	"errors"
	"image"
	"image/color"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
)

// Every method of a zero value returns, with an error if it can.
func TestZeroValues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // detects a hang
		var m hat.Matrix
		var j hat.Joystick
		var a hat.Accelerometer
		var l hat.LightSensor
		var i hat.I2C
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for what, err := range map[string]error{
			"Matrix.WriteFrame":   m.WriteFrame(&[64]color.RGBA{}),
			"Matrix.Draw":         m.Draw(m.Bounds(), image.Black, image.Point{}),
			"Matrix.Refresh":      m.Refresh(),
			"Matrix.Rotate":       m.Rotate(90),
			"Matrix.Halt":         m.Halt(),
			"Matrix.AwaitGone":    m.AwaitGone(ctx),
			"Matrix.Close":        m.Close(),
			"Joystick.ReadEvent":  second(j.ReadEvent()),
			"Joystick.Rotate":     j.Rotate(90),
			"Joystick.Close":      j.Close(),
			"Accelerometer":       second(a.Rotation()),
			"Accelerometer.Close": a.Close(),
			"LightSensor":         second(l.Light()),
		} {
			if !errors.Is(err, os.ErrClosed) {
				t.Errorf("%s: %v", what, err)
			}
		}
		for what, err := range map[string]error{
			"OpenMatrix":    second(i.OpenMatrix(nil)),
			"OpenJoystick":  second(i.OpenJoystick(nil)),
			"Accelerometer": second(i.Accelerometer().Rotation()),
			"Halt":          i.Halt(),
			"NewI2C":        second(hat.NewI2C(nil, nil)),
		} {
			if err == nil {
				t.Errorf("I2C.%s: no error", what)
			}
		}
		if m.RestoreGamma() || i.InUse() || i.ErrorCount() != 0 {
			t.Error("a zero value does something")
		}
		for _, s := range []string{m.String(), j.String(), a.String(), i.String()} {
			if len(s) < len("Sense HAT matrix") {
				t.Errorf("%q", s)
			}
		}
	})
}

func second[T any](_ T, err error) error { return err }

// The table matches the one in the stand-in for the kernel's driver.
func TestBrightness(t *testing.T) {
	for channel := range 256 {
		leds := standin.Lit([64]color.RGBA{{R: uint8(channel)}})
		if want, _, _ := leds.At(0, 0); hat.Brightness(uint8(channel)) != int(want) {
			t.Errorf("%d: %d, want %d", channel, hat.Brightness(uint8(channel)), want)
		}
	}
}
