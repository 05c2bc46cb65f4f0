package device

import (
	"context"
	"errors"
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

// File is an open device file.
type File struct{ *os.File }

// Control calls f with the file's descriptor. It does not use Fd: after a call of Fd, Close would no
// longer wake a blocked Read.
func (f File) Control(call func(fd uintptr) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var result error
	if err := conn.Control(func(fd uintptr) { result = call(fd) }); err != nil {
		return err
	}
	return result
}

// Lock takes the file's flock. It fails at once with EWOULDBLOCK if another process has it.
func (f File) Lock() error {
	return f.Control(func(fd uintptr) error { return unix.Flock(int(fd), unix.LOCK_EX|unix.LOCK_NB) })
}

// AwaitGone waits until the file's path no longer leads to this file: when a device is removed, the
// kernel deletes its file. While a file is open, inotify(7) reports its deletion as a change of its
// attributes.
func (f File) AwaitGone(ctx context.Context) error {
	w, err := newWatcher(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	ours, err := f.Stat()
	if err != nil {
		return nil // the file is closed
	}
	for {
		// A watch ends with its file, so set it again each time. Set it before the check, so that
		// no change is missed.
		_, watchErr := w.add(f.Name(), unix.IN_ATTRIB|unix.IN_DELETE_SELF|unix.IN_MOVE_SELF)
		if now, err := os.Stat(f.Name()); err != nil || !os.SameFile(now, ours) {
			return nil
		}
		if watchErr != nil {
			return watchErr
		}
		if _, err := w.wait(0); err != nil {
			return err
		}
	}
}

// Uninterrupted repeats a call that a signal has interrupted.
func Uninterrupted(call func() error) error {
	err := call()
	for errors.Is(err, unix.EINTR) {
		err = call()
	}
	return err
}

// Busy returns the error of a lock that another process has; it names the process.
func Busy(what, proc string, info fs.FileInfo, err error) error {
	owner := "another process"
	switch pid, name := Owner(proc, info); {
	case name != "":
		owner = fmt.Sprintf("process %d (%s)", pid, name)
	case pid != 0:
		owner = fmt.Sprintf("process %d", pid)
	}
	return Fault(ErrBusy, err, "the %s is in use by %s: end that first", what, owner)
}

// Owner finds the process that holds the flock of a file. proc is the folder /proc. pid is 0 if there
// is no such process or it is unknown.
func Owner(proc string, info fs.FileInfo) (pid int, name string) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, ""
	}
	locks, err := os.ReadFile(filepath.Join(proc, "locks"))
	if err != nil {
		return 0, ""
	}
	// A holder outside our PID namespace has no useful number.
	if pid = lockHolder(string(locks), uint64(st.Dev), uint64(st.Ino)); pid <= 0 {
		return 0, ""
	}
	comm, err := os.ReadFile(filepath.Join(proc, strconv.Itoa(pid), "comm"))
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

// lockHolder finds the process with the flock of a file in the text of /proc/locks, or 0. A line
// reads (fs/locks.c, lock_get_status):
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
