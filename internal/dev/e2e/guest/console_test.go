//go:build guest

package guest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// bindConsole returns the framebuffer console's "/sys/class/vtconsole/vtconN/bind".
func bindConsole(t *testing.T) string {
	t.Helper()
	names, _ := filepath.Glob("/sys/class/vtconsole/vtcon*/name")
	for _, name := range names {
		if b, _ := os.ReadFile(name); strings.Contains(string(b), "frame buffer") {
			return filepath.Join(filepath.Dir(name), "bind")
		}
	}
	t.Fatalf("no framebuffer console among %v", names)
	return ""
}

// On a Pi without a screen the HAT is the only framebuffer: the kernel binds its text console to
// the HAT, and the console's cursor overwrites the picture.
func TestConsoleOnMatrix(t *testing.T) {
	bind := bindConsole(t)
	f := openScreen(t)
	set := func(value string) {
		if err := os.WriteFile(bind, []byte(value), 0); err != nil {
			t.Fatal(err)
		}
	}
	wiped := func() (bool, any) {
		b := make([]byte, 128)
		f.ReadAt(b, 0)
		return !bytes.Equal(b, frame()), b
	}
	defer set("0")
	set("1")
	f.WriteAt(frame(), 0)
	eventually(t, wiped)
	set("0")
	f.WriteAt(frame(), 0)
	time.Sleep(time.Second) // the cursor blinks five times a second
	if ok, b := wiped(); ok {
		t.Errorf("the picture changed on a matrix without a console: %x", b)
	}
}
