package device

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestLockHolder(t *testing.T) {
	const locks = `1: POSIX  ADVISORY  WRITE 100 00:05:136 0 EOF
2: FLOCK  ADVISORY  WRITE 4711 00:05:136 0 EOF
2: -> FLOCK  ADVISORY  WRITE 4712 00:05:136 0 EOF
3: FLOCK  ADVISORY  READ  200 fd:00:136 0 EOF
4: -> FLOCK  ADVISORY  WRITE 300 00:05:137 0 EOF
5: FLOCK  ADVISORY  WRITE x 00:05:138 0 EOF
6: FLOCK  ADVISORY
7: OFDLCK ADVISORY  WRITE -1 103:1f:9 0 0

8: FLOCK  ADVISORY  WRITE 5 103:1f:18446744073709551615 0 EOF`
	for _, test := range []struct {
		major, minor uint32
		ino          uint64
		want         int
	}{
		{0, 5, 136, 4711},
		{0xfd, 0, 136, 200},
		{0, 5, 137, 0},
		{0, 5, 138, 0},
		{0, 5, 13, 0},
		{0x103, 0x1f, 9, 0},
		{0x103, 0x1f, 1<<64 - 1, 5},
		{0, 0x50, 136, 0},
	} {
		if got := lockHolder(locks, unix.Mkdev(test.major, test.minor), test.ino); got != test.want {
			t.Errorf("%v: got process %d", test, got)
		}
	}
}

// The error of a lock names its holder, by a printable name, as far as it is known.
func TestBusy(t *testing.T) {
	proc := t.TempDir()
	path := filepath.Join(proc, "fb1")
	write := func(file, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(proc, file)), 0o700), os.WriteFile(filepath.Join(proc, file), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write("fb1", "")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	says := func(want string) {
		t.Helper()
		err := Busy("matrix /dev/fb1", proc, info, unix.EAGAIN)
		if !errors.Is(err, ErrBusy) || err.Error() != "hat: the matrix /dev/fb1 is in use by "+want+": end that first" {
			t.Error(err)
		}
	}
	says("another process")
	st := info.Sys().(*syscall.Stat_t)
	write("locks", fmt.Sprintf("1: FLOCK  ADVISORY  WRITE 77 %02x:%02x:%d 0 EOF\n", unix.Major(uint64(st.Dev)), unix.Minor(uint64(st.Dev)), st.Ino))
	says("process 77")
	write("77/comm", "a\nb\x1b[31m\n")
	says("process 77 (a?b?[31m)")
}

// FuzzOwner checks that the first process with the file's flock is found among any other locks, and
// that its name is printable, whatever the process calls itself.
func FuzzOwner(f *testing.F) {
	f.Fuzz(func(t *testing.T, before, after, name string, pid uint16) {
		proc := t.TempDir()
		path := filepath.Join(proc, "fb1")
		must := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		must(os.WriteFile(path, nil, 0o600))
		info, err := os.Stat(path)
		must(err)
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

		must(os.WriteFile(filepath.Join(proc, "locks"), []byte(before+"\n"+ours+after), 0o600))
		if want > 0 {
			dir := filepath.Join(proc, fmt.Sprint(want))
			must(os.Mkdir(dir, 0o700))
			must(os.WriteFile(filepath.Join(dir, "comm"), []byte(name), 0o600))
		}
		says := Busy("matrix", proc, info, unix.EAGAIN).Error()
		if want > 0 && !strings.Contains(says, fmt.Sprintf("process %d", want)) {
			t.Fatalf("%q, want process %d", says, want)
		}
		if strings.ContainsFunc(says, func(r rune) bool { return r < ' ' || r == 0x7f || r == 0x9b }) {
			t.Fatalf("not printable: %q", says)
		}
	})
}
