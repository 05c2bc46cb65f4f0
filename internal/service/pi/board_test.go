package pi

import (
	"errors"
	"io/fs"
	"testing"
)

func TestNoBus(t *testing.T) {
	if _, err := OpenBus("/dev/i2c-255"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
