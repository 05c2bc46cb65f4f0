//go:build kernel

package e2e

import "testing"

// TestKernel shows that the rig holds what it promises about the kernel, for 64-bit and
// for 32-bit programs, whose ioctls and input records differ.
func TestKernel(t *testing.T) {
	for _, goarch := range []string{"amd64", "386"} {
		t.Run(goarch, func(t *testing.T) {
			t.Parallel()
			Run(t, Guest{Package: "github.com/c4hat/c4hat/internal/e2e/guest", GOARCH: goarch})
		})
	}
}
