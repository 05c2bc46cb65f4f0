//go:build linux

package kernel

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"testing"
)

// bzImage wraps a compressed kernel as the kernel's build does.
func bzImage(packed []byte) []byte {
	const setupSects, offset = 3, 0x40
	image := make([]byte, (setupSects+1)*512+offset)
	image[0x1f1] = setupSects
	copy(image[0x202:], "HdrS")
	binary.LittleEndian.PutUint16(image[0x206:], 0x20f)
	binary.LittleEndian.PutUint32(image[0x248:], offset)
	binary.LittleEndian.PutUint32(image[0x24c:], uint32(len(packed)))
	return append(append(image, packed...), "what follows"...)
}

func TestVmlinux(t *testing.T) {
	kernel := bytes.Repeat([]byte("a kernel "), 1000)
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(kernel)
	w.Close()
	image := bzImage(packed.Bytes())
	got, err := vmlinux(t.Context(), image)
	if err != nil || !bytes.Equal(got, kernel) {
		t.Errorf("%d bytes, %v; want the %d bytes packed", len(got), err, len(kernel))
	}
	for name, bad := range map[string][]byte{
		"empty":     nil,
		"no header": make([]byte, 4096),
		"cut short": image[:len(image)-20],
		"lz4":       bzImage([]byte("\x02\x21\x4c\x18 and so on")),
	} {
		if _, err := vmlinux(t.Context(), bad); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestModuleName(t *testing.T) {
	for path, want := range map[string]string{
		"kernel/drivers/i2c/i2c-stub.ko.xz":       "i2c_stub",
		"/cache/sensehat_standin-0123456789ab.ko": "sensehat_standin_0123456789ab",
		"kernel/drivers/input/evdev.ko\n":         "evdev",
		"vfb":                                     "vfb",
	} {
		if got := moduleName(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}
