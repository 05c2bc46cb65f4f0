package hat

import (
	"os"
	"path/filepath"
	"testing"
)

// The benchmark writes each frame to a file with a real pwrite.
func BenchmarkWriteFrameFile(b *testing.B) {
	path := filepath.Join(b.TempDir(), "screen")
	must(b, os.WriteFile(path, nil, 0o600))
	m, err := OpenMatrix(&Opts{Framebuffer: path})
	must(b, err)
	defer m.Close()
	frame := *filled(red)
	b.ReportAllocs()
	for b.Loop() {
		frame[63].G ^= 0x80
		if err := m.WriteFrame(&frame); err != nil {
			b.Fatal(err)
		}
	}
}

// The benchmark measures the time from a press in the kernel to the write of a frame. A reader is
// blocked before each press.
func BenchmarkPressToFrame(b *testing.B) {
	dir := b.TempDir()
	path, s := newFIFO(b)
	w, err := os.OpenFile(path, os.O_WRONLY, 0)
	must(b, err)
	defer w.Close()
	screen := filepath.Join(dir, "screen")
	must(b, os.WriteFile(screen, nil, 0o600))
	m, err := OpenMatrix(&Opts{Framebuffer: screen})
	must(b, err)
	defer m.Close()

	shown := make(chan error)
	go func() {
		frame := *filled(red)
		for {
			if _, err := s.ReadEvent(); err != nil {
				return
			}
			frame[63].G ^= 0x80
			shown <- m.WriteFrame(&frame)
		}
	}()
	press := append(record(evKey, 103, 1), record(evSyn, synReport, 0)...)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Write(press); err != nil {
			b.Fatal(err)
		}
		if err := <-shown; err != nil {
			b.Fatal(err)
		}
	}
}
