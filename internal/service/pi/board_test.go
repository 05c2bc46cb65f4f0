package pi

import (
	"errors"
	"io/fs"
	"testing"
)

func TestNoBus(t *testing.T) {
	if _, err := HAT("/dev/i2c-255").Open(); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
