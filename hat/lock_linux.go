package hat

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"golang.org/x/sys/unix"
)

// busyFault returns an error that names the process that has the device.
func (s system) busyFault(p part, path string, info fs.FileInfo, err error) error {
	owner := "another process"
	switch pid, name := s.owner(info); {
	case name != "":
		owner = fmt.Sprintf("process %d (%s)", pid, name)
	case pid != 0:
		owner = fmt.Sprintf("process %d", pid)
	}
	return &fault{fmt.Sprintf("the %s %s is in use by %s: end that first", p.what, path, owner), ErrBusy, err}
}

// LockOwner finds the process that drives the device at a path: the one that holds the flock that
// this package takes on open devices (/proc/locks). pid is 0 if there is no such process or it is
// unknown. name comes from /proc/PID/comm, with ? for unprintable characters. LockOwner does not
// open the device.
func LockOwner(path string) (pid int, name string) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, ""
	}
	return kernel().owner(info)
}

// owner finds the process that holds the flock of the file.
func (s system) owner(info fs.FileInfo) (pid int, name string) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, ""
	}
	locks, err := os.ReadFile(filepath.Join(s.proc, "locks"))
	if err != nil {
		return 0, ""
	}
	// A holder outside our PID namespace has no useful number.
	if pid = lockHolder(string(locks), uint64(st.Dev), uint64(st.Ino)); pid <= 0 {
		return 0, ""
	}
	comm, err := os.ReadFile(filepath.Join(s.proc, strconv.Itoa(pid), "comm"))
	if err != nil {
		return pid, ""
	}
	// A process chooses its name itself, so the name must not break our one-line errors.
	return pid, strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, strings.TrimSuffix(string(comm), "\n"))
}

// lockHolder finds the process with the flock of a file in the text of /proc/locks. It
// returns 0 if there is none. A line reads (fs/locks.c, lock_get_status):
//
//	1: FLOCK  ADVISORY  WRITE 4711 00:05:136 0 EOF
//
// with device numbers in hex and the inode in decimal. Processes that wait for the lock follow,
// each on a line with an arrow: "1: -> FLOCK …".
func lockHolder(locks string, dev, ino uint64) int {
	file := fmt.Sprintf("%02x:%02x:%d", unix.Major(dev), unix.Minor(dev), ino)
	for line := range strings.Lines(locks) {
		f := strings.Fields(line)
		if len(f) < 6 || f[1] != "FLOCK" || f[5] != file {
			continue
		}
		if pid, err := strconv.Atoi(f[4]); err == nil {
			return pid
		}
	}
	return 0
}
