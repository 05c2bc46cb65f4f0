package doctor

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// tryOpen opens a device as the driver does, which changes nothing on it, and closes
// it again. It gives the group of the file, -1 where that is not known.
func tryOpen(path string, flag int) (group int, err error) {
	group = -1
	if info, err := os.Stat(path); err == nil {
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			group = int(st.Gid)
		}
	}
	f, err := os.OpenFile(path, flag|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return group, err
	}
	return group, f.Close()
}

// freeSpace is how much of a disk is free for users.
func freeSpace(path string) (bytes uint64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return 0, err
	}
	return st.Bavail * uint64(st.Bsize), nil
}

// tryWrite says why nothing can be made in a folder; nil where something can.
func tryWrite(path string) error { return unix.Access(path, unix.W_OK|unix.X_OK) }
