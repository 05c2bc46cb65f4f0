//go:build kernel

package e2e

import (
	"flag"
	"slices"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
)

var system = flag.String("system", "13", "the Debian whose kernel boots, 12 or 13")

const guestTests = "github.com/c4hat/c4hat/internal/dev/e2e/guest"

// program is c4hat itself.
var program = map[string]string{"/bin/c4hat": "github.com/c4hat/c4hat/cmd/c4hat"}

// TestKernel runs the guest tests, for 64-bit and for 32-bit programs: their ioctls and
// input records differ.
func TestKernel(t *testing.T) {
	t.Parallel()
	for _, goarch := range []string{"amd64", "386"} {
		t.Run(goarch, func(t *testing.T) {
			t.Parallel()
			Run(t, Guest{System: *system, Package: guestTests, GOARCH: goarch, Programs: program, Timeout: 20 * time.Minute})
		})
	}
}

// TestSecondScreen runs the tests with another framebuffer before the HAT's, as with an HDMI
// screen.
func TestSecondScreen(t *testing.T) {
	t.Parallel()
	Run(t, Guest{
		System:  *system,
		Package: guestTests,
		Modules: slices.Concat([]string{"vfb vfb_enable=1"}, DefaultModules),
		Args:    []string{"-test.run=TestMatrix", "-node=/dev/fb1"},
	})
}

// TestBoard drives a board without a kernel driver, over its bus and its pins.
func TestBoard(t *testing.T) {
	t.Parallel()
	for _, goarch := range []string{"amd64", "386"} {
		t.Run(goarch, func(t *testing.T) {
			t.Parallel()
			Run(t, Guest{
				System:  *system,
				Package: "github.com/c4hat/c4hat/internal/pi", GOARCH: goarch,
				Modules: []string{"i2c-dev", standin.Board},
				Args:    []string{"-test.run=^Test(Board(OnTheBus|Pulled|Upright|WithoutLine)|Line)"},
			})
		})
	}
}
