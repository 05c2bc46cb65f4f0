package hat

import (
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

func TestBusyOwner(t *testing.T) {
	// The test needs a tmpfs like /dev: on a file system without its own device number (btrfs, some
	// overlays), /proc/locks and stat report different numbers.
	dir, err := os.MkdirTemp("/dev/shm", "hat")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	screen, fifo := filepath.Join(dir, "screen"), filepath.Join(dir, "stick")
	must(t, os.WriteFile(screen, nil, 0o600))
	must(t, unix.Mkfifo(fifo, 0o600))
	for what, path := range map[string]string{"matrix": screen, "joystick": fifo} {
		t.Run(what, func(t *testing.T) {
			open := func() (interface{ Close() error }, error) { return OpenMatrix(&Opts{Framebuffer: path}) }
			if what == "joystick" {
				open = func() (interface{ Close() error }, error) { return OpenJoystick(&Opts{Joystick: path}) }
			}
			holder, first, end := child(t, "hold "+what, path)
			if first != "held" {
				t.Fatal(first)
			}
			_, err := open()
			kinds(t, err, ErrBusy)
			comm, rerr := os.ReadFile(fmt.Sprintf("/proc/%d/comm", holder.Process.Pid))
			must(t, rerr)
			line(t, err, path, fmt.Sprintf("in use by process %d (%s)", holder.Process.Pid, strings.TrimSpace(string(comm))))
			if pid, name := LockOwner(path); pid != holder.Process.Pid || name != strings.TrimSpace(string(comm)) {
				t.Errorf("the owner is %d, %q", pid, name)
			}

			must(t, end.Close())
			must(t, holder.Wait())
			if pid, name := LockOwner(path); pid != 0 || name != "" {
				t.Errorf("afterwards the owner is %d, %q", pid, name)
			}
			d, err := open()
			must(t, err)
			must(t, d.Close())
		})
	}
}

func TestLockOwnerName(t *testing.T) {
	s := newTree(t)
	path := s.file(t, "fb1", "")
	info, err := os.Stat(path)
	must(t, err)
	s.proc = t.TempDir()
	p := matrixPart()
	line(t, s.busyFault(p, path, info, unix.EAGAIN), "another process")

	st := info.Sys().(*syscall.Stat_t)
	must(t, os.WriteFile(filepath.Join(s.proc, "locks"),
		fmt.Appendf(nil, "1: FLOCK  ADVISORY  WRITE 77 %02x:%02x:%d 0 EOF\n", unix.Major(uint64(st.Dev)), unix.Minor(uint64(st.Dev)), st.Ino), 0o600))
	line(t, s.busyFault(p, path, info, unix.EAGAIN), "process 77: end")

	must(t, os.Mkdir(filepath.Join(s.proc, "77"), 0o755))
	must(t, os.WriteFile(filepath.Join(s.proc, "77/comm"), []byte("a\nb\x1b[31m\n"), 0o600))
	line(t, s.busyFault(p, path, info, unix.EAGAIN), "process 77 (a?b?[31m): end")
}
