package main

import "golang.org/x/sys/unix"

// memory is how many bytes of it the machine has; 0 when it does not say.
func memory() uint64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return uint64(info.Totalram) * uint64(info.Unit)
}
