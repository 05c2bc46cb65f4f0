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

// busyFault says who has the device.
func (s system) busyFault(p part, path string, info fs.FileInfo, err error) error {
	owner := s.owner(info)
	if owner == "" {
		owner = "another process"
	}
	return &fault{fmt.Sprintf("the %s %s is in use by %s: end that first", p.what, path, owner), ErrBusy, err}
}

// owner names the process that holds the flock of the file: "process 4711
// (c4hat)", or "" if that cannot be found out.
func (s system) owner(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	locks, err := os.ReadFile(filepath.Join(s.proc, "locks"))
	if err != nil {
		return ""
	}
	pid := lockHolder(string(locks), uint64(st.Dev), uint64(st.Ino))
	if pid <= 0 {
		return ""
	}
	name := fmt.Sprintf("process %d", pid)
	comm, err := os.ReadFile(filepath.Join(s.proc, strconv.Itoa(pid), "comm"))
	if err != nil {
		return name
	}
	// A process gives itself this name: what it likes, in one line of ours.
	printable := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, strings.TrimSuffix(string(comm), "\n"))
	return name + " (" + printable + ")"
}

// lockHolder finds who has the flock of a file in the text of /proc/locks, 0
// if nobody. A line reads (fs/locks.c, lock_get_status):
//
//	1: FLOCK  ADVISORY  WRITE 4711 00:05:136 0 EOF
//
// with device numbers in hex and the inode in decimal. Those that wait for a
// lock stand below its holder with an arrow, "1: -> FLOCK …".
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
