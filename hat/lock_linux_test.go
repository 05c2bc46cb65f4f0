package hat

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

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
