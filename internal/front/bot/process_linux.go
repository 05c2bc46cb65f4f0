package bot

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// dieWithParent ends the program when c4hat is killed.
func dieWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGKILL }

// unread reports whether there is something in a pipe that nobody has read yet.
func unread(pipe *os.File) bool {
	n := 0
	conn, err := pipe.SyscallConn()
	if err == nil {
		err = conn.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unix.TIOCINQ) })
	}
	return err == nil && n > 0
}

// limit limits what a program can take from the others on the machine, as far as the system lets an
// ordinary user do that: the size of a file, memory for data, and the threads of all the user's
// processes. If memory is short nevertheless, the kernel ends the program first.
func limit(program int) {
	limits := map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_FSIZE: 64 << 20, unix.RLIMIT_NPROC: mostThreads()}
	var machine unix.Sysinfo_t
	if unix.Sysinfo(&machine) == nil {
		limits[unix.RLIMIT_DATA] = uint64(machine.Totalram) * uint64(machine.Unit) / 4 * 3
	}
	for which, most := range limits {
		var has unix.Rlimit
		if unix.Prlimit(program, which, nil, &has) == nil && has.Max > most { // a lower one stays
			_ = unix.Prlimit(program, which, &unix.Rlimit{Cur: most, Max: most}, nil)
		}
	}
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", program), []byte("1000"), 0)
}

// mostThreads is how many threads all processes of this user may have while a program plays.
var mostThreads = sync.OnceValue(func() uint64 {
	n := 64 + 16*runtime.NumCPU() // for programs
	for pid, p := range stats("/proc/[0-9]*/stat") {
		if info, err := os.Stat(fmt.Sprint("/proc/", pid)); err == nil && info.Sys().(*syscall.Stat_t).Uid == uint32(os.Getuid()) {
			n += p.threads
		}
	}
	return uint64(n)
})

// stat has what proc_pid_stat(5) says of a process or thread.
type stat struct {
	group, threads int
	used           time.Duration // processor time, with that of children that have ended
	awake          bool          // it runs, or waits for the processor or the disk
}

// stats reads files such as "1 (name) S parent …". The name may contain any character, so it ends at
// the last parenthesis.
func stats(pattern string) map[int]stat {
	const perSecond = 100 // USER_HZ, on all systems that Go supports
	all := map[int]stat{}
	files, _ := filepath.Glob(pattern)
	for _, file := range files {
		text, _ := os.ReadFile(file)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) < 18 {
			continue // it has ended
		}
		number := func(i int) int { n, _ := strconv.Atoi(fields[i-3]); return n } // as in the manual
		ticks := number(14) + number(15) + number(16) + number(17)
		all[pid] = stat{number(5), number(20), time.Duration(ticks) * time.Second / perSecond, fields[0] == "R" || fields[0] == "D"}
	}
	return all
}

// usage returns the processor time that the program's processes have used so far, and whether any of
// them is awake.
func (p *Program) usage() (used time.Duration, awake bool) {
	for pid, s := range stats("/proc/[0-9]*/stat") {
		if s.group != p.cmd.Process.Pid {
			continue
		}
		used += s.used
		awake = awake || s.awake
		if s.threads > 1 && !awake {
			for _, thread := range stats(fmt.Sprintf("/proc/%d/task/[0-9]*/stat", pid)) {
				awake = awake || thread.awake
			}
		}
	}
	return used, awake
}
