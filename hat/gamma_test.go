package hat_test

import (
	"image/color"
	"testing"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/e2e/standin"
)

// The table matches the one in the stand-in for the kernel's driver.
func TestBrightness(t *testing.T) {
	for channel := range 256 {
		leds := standin.Lit([64]color.RGBA{{R: uint8(channel)}})
		if want, _, _ := leds.At(0, 0); hat.Brightness(uint8(channel)) != int(want) {
			t.Errorf("%d: %d, want %d", channel, hat.Brightness(uint8(channel)), want)
		}
	}
}
