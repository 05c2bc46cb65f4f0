//go:build unix

package term

import (
	"bytes"
	"testing"
)

// FuzzClean checks that, whatever a terminal sends, tcell gets nothing that it loops on or waits
// for, and that every key gets through.
func FuzzClean(f *testing.F) {
	f.Fuzz(func(t *testing.T, input []byte, size uint8) {
		in := bytes.NewReader(input)
		tty := &cleanTty{Tty: feed{read: in.Read}}
		var got []byte
		buf := make([]byte, int(size)+1)
		for {
			n, err := tty.Read(buf)
			got = append(got, buf[:n]...)
			if err != nil {
				break
			}
		}
		esc := false
		for i, c := range got {
			if c >= 0x80 || esc && bytes.IndexByte([]byte("]PX^_"), c) >= 0 {
				t.Fatalf("%q, %d at a time: %q, at %d", input, len(buf), got, i)
			}
			esc = c == 0x1b
		}
		// Apart from noise, only an ESC and what may follow one is removed.
		pass := func(c rune) rune {
			if c == 0x1b || bytes.ContainsRune([]byte("]PX^_"), c) && bytes.IndexByte(input, 0x1b) >= 0 {
				return -1
			}
			return c
		}
		var typed []byte
		for _, c := range input {
			if c < 0x80 {
				typed = append(typed, c)
			}
		}
		if want := bytes.Map(pass, typed); !bytes.Equal(bytes.Map(pass, got), want) {
			t.Fatalf("%q, %d at a time: %q, want %q", input, len(buf), got, want)
		}
	})
}
