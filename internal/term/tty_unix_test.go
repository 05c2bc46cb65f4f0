//go:build unix

package term

import (
	"bytes"
	"testing"
	"testing/iotest"

	"github.com/gdamore/tcell/v3"
)

// feed is a terminal that has only input.
type feed struct {
	tcell.Tty
	read func([]byte) (int, error)
}

func (f feed) Read(p []byte) (int, error) { return f.read(p) }

func TestCleanTty(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"4\x1b[Aq\x1bOB", "4\x1b[Aq\x1bOB"},
		{"\x1b[<35;12;7M", "\x1b[<35;12;7M"},
		{"a\xff\x80\xc3b\u00fc\u20ac", "ab"},
		{"\x1b]\x1bP\x1bX\x1b^\x1b_4", "4"},
		{"\x1b\x1b[A]", "\x1b\x1b[A]"},
		{"P]X", "P]X"},
	} {
		in := bytes.NewReader([]byte(tt.in))
		tty := &cleanTty{Tty: feed{read: in.Read}}
		var got []byte
		buf := make([]byte, 100)
		n, err := tty.Read(buf)
		if got = append(got, buf[:n]...); err != nil || string(got) != tt.want {
			t.Errorf("%q: %q, %v, want %q", tt.in, got, err, tt.want)
		}
		// If the input comes byte by byte, an ESC may remain, but nothing that follows it.
		slow := iotest.OneByteReader(bytes.NewReader([]byte(tt.in)))
		tty, got = &cleanTty{Tty: feed{read: slow.Read}}, nil
		for {
			n, err := tty.Read(buf)
			got = append(got, buf[:n]...)
			if err != nil {
				break
			}
		}
		for i, c := range got {
			if c >= 0x80 || i > 0 && got[i-1] == 0x1b && bytes.IndexByte([]byte("]PX^_"), c) >= 0 {
				t.Errorf("%q, byte by byte: %q", tt.in, got)
			}
		}
	}
}

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
