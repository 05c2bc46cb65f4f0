package doctor

import (
	"os"

	"golang.org/x/sys/unix"
)

// tryOpen opens and closes a device, which changes nothing.
func tryOpen(path string, flag int) error {
	f, err := os.OpenFile(path, flag|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

func freeSpace(path string) (bytes uint64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return 0, err
	}
	return st.Bavail * uint64(st.Bsize), nil
}

// tryWrite returns nil if a file can be created in a folder, else the reason why not.
func tryWrite(path string) error { return unix.Access(path, unix.W_OK|unix.X_OK) }
