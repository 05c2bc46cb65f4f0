package pi

import "golang.org/x/sys/unix"

// Memory returns the size of the memory in bytes, or 0 if it is unknown.
func Memory() uint64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return uint64(info.Totalram) * uint64(info.Unit)
}
