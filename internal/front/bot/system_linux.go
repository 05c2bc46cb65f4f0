package bot

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// dieWithParent ends the program when c4hat is killed.
func dieWithParent(attributes *syscall.SysProcAttr) { attributes.Pdeathsig = syscall.SIGKILL }

// limit limits what the program can take from the machine, as far as the system lets an ordinary user do that:
// the size of a file, memory for data, and threads. The kernel counts those of all the user's programs, so only
// one that starts them without end reaches this limit. If memory is short nevertheless, the kernel ends the
// program first.
func (p *Program) limit() {
	var machine unix.Sysinfo_t
	_ = unix.Sysinfo(&machine)
	for which, most := range map[int]uint64{
		unix.RLIMIT_CORE:  0,
		unix.RLIMIT_FSIZE: 64 << 20,
		unix.RLIMIT_NPROC: uint64(int(machine.Procs) + 4*mostThreads()),
		unix.RLIMIT_DATA:  uint64(machine.Totalram) * uint64(machine.Unit) / 4 * 3,
	} {
		_ = unix.Prlimit(p.cmd.Process.Pid, which, &unix.Rlimit{Cur: most, Max: most}, nil) // a lower one stays
	}
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/oom_score_adj", p.cmd.Process.Pid), []byte("1000"), 0)
}

// usage returns what all processes of the program's group use, from files such as "1 (name) S parent …".
func (p *Program) usage() (u usage) {
	const perSecond = 100 // USER_HZ, on all systems that Go supports
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range processes {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		if group, err := unix.Getpgid(pid); err != nil || group != p.cmd.Process.Pid {
			continue
		}
		stat := statOf(dir + "/stat")
		if len(stat) < 18 {
			continue // it has ended
		}
		number := func(i int) int { n, _ := strconv.Atoi(stat[i-3]); return n }                        // as in proc_pid_stat(5)
		u.used += time.Duration(number(14)+number(15)+number(16)+number(17)) * time.Second / perSecond // with children that have ended
		u.threads += number(20)
		tasks, _ := filepath.Glob(dir + "/task/[0-9]*/stat")
		for _, task := range tasks {
			if s := statOf(task); len(s) > 0 && strings.Contains("RD", s[0]) { // it runs, or waits for the processor or the disk
				u.awake = true
				break
			}
		}
	}
	return u
}

// statOf returns what stands after a process's name, which may contain any character, and so ends at the last
// parenthesis.
func statOf(file string) []string {
	text, _ := os.ReadFile(file)
	return strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
}
