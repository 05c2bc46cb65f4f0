package hat

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// FuzzOwner checks that the first process with the file's flock is found among any other locks, and
// that its name is printable, whatever the process calls itself.
func FuzzOwner(f *testing.F) {
	f.Fuzz(func(t *testing.T, before, after, name string, pid uint16) {
		s := system{proc: t.TempDir()}
		path := filepath.Join(s.proc, "fb1")
		must(t, os.WriteFile(path, nil, 0o600))
		info, err := os.Stat(path)
		must(t, err)
		st := info.Sys().(*syscall.Stat_t)
		ours := fmt.Sprintf("7: FLOCK  ADVISORY  WRITE %d %02x:%02x:%d 0 EOF\n", pid, unix.Major(uint64(st.Dev)), unix.Minor(uint64(st.Dev)), st.Ino)
		holder := func(locks string) int { return lockHolder(locks, uint64(st.Dev), uint64(st.Ino)) }

		want := holder(before)
		if want == 0 {
			want = int(pid)
		}
		if got := holder(before + "\n" + ours + after); want != 0 && got != want {
			t.Fatalf("process %d, want %d", got, want)
		}
		// Lines about other files are ignored.
		others := strings.Replace(ours, " 0 EOF", "9 0 EOF", 1)
		if got, without := holder(others+before+"\n"+others), holder(before); got != without {
			t.Fatalf("with lines about other files: process %d, want %d", got, without)
		}

		must(t, os.WriteFile(filepath.Join(s.proc, "locks"), []byte(before+"\n"+ours+after), 0o600))
		if want > 0 {
			dir := filepath.Join(s.proc, fmt.Sprint(want))
			must(t, os.Mkdir(dir, 0o700))
			must(t, os.WriteFile(filepath.Join(dir, "comm"), []byte(name), 0o600))
		}
		err = s.busyFault(matrixPart(), path, info, unix.EAGAIN)
		line(t, err, "is in use by ")
		if want > 0 {
			line(t, err, fmt.Sprintf("process %d", want))
		}
		if strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' || r == 0x7f || r == 0x9b }) {
			t.Fatalf("not printable: %q", err)
		}
	})
}

// FuzzFind checks that only the device with the HAT's name is found among devices with any names.
func FuzzFind(f *testing.F) {
	f.Fuzz(func(t *testing.T, zero, one, two string) {
		s := newTree(t)
		want := ""
		for entry, name := range []string{zero, one, two} {
			s.name(t, fmt.Sprintf("graphics/fb%d/name", entry), name)
			if want == "" && strings.TrimSpace(name) == "RPi-Sense FB" {
				want = filepath.Join(s.dev, fmt.Sprintf("fb%d", entry))
			}
		}
		switch got, err := s.find(matrixPart()); {
		case want == "":
			line(t, err, "dtoverlay=rpi-sense")
			kinds(t, err, ErrNotFound, fs.ErrNotExist)
		case err != nil || got != want:
			t.Fatalf("%q, %v, want %q", got, err, want)
		}
	})
}
