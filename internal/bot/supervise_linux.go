package bot

import (
	"bytes"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// supervisor is the name of the supervisor's process, as ps shows it.
const supervisor = "c4hat-program"

// The supervisor's file descriptors: a pipe whose other end c4hat holds open, and a pipe on which
// the supervisor sends c4hat an errno, which is 0 if the program has started.
const (
	leashFile  = 3
	reportFile = 4
)

// Supervise must be the first call of main. In a process that [Start] has started to run a program,
// Supervise does not return: it runs the program, and exits when none of the program's processes is
// left.
//
// Processes that lose their parent become children of this one, whatever group or session
// they moved to (prctl(2), PR_SET_CHILD_SUBREAPER). So this process can find every process that the
// program started, and knows when none is left. It ends them all when the program ends, when c4hat
// closes the pipe, and when c4hat is killed, even by SIGKILL, because that closes the pipe too.
func Supervise() {
	if len(os.Args) > 2 && os.Args[0] == supervisor {
		os.Exit(supervise(os.Args[1], os.Args[2:]))
	}
}

// supervise returns the program's exit status, or 128 and the signal that ended it.
func supervise(path string, args []string) (status int) {
	runtime.LockOSThread() // the program dies with this thread
	syscall.CloseOnExec(leashFile)
	syscall.CloseOnExec(reportFile)
	err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	program := 0
	if err == nil {
		program, err = syscall.ForkExec(path, args, &syscall.ProcAttr{
			Env: os.Environ(), Files: []uintptr{0, 1, 2},
			Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
		})
	}
	number, _ := err.(syscall.Errno) // 0 without an error
	_, _ = syscall.Write(reportFile, []byte(strconv.Itoa(int(number))))
	for _, file := range []int{reportFile, 0, 1, 2} { // only the program holds its pipes open
		_ = syscall.Close(file)
	}
	if err != nil {
		return 1
	}
	go func() {
		var none [1]byte
		for {
			if n, err := syscall.Read(leashFile, none[:]); err != syscall.EINTR && n <= 0 {
				break
			}
		}
		_ = syscall.Kill(-program, syscall.SIGTERM)
		time.Sleep(goodbye)
		killAll()
	}()
	for {
		var end syscall.WaitStatus
		switch pid, err := syscall.Wait4(-1, &end, 0, nil); {
		case err == syscall.EINTR:
		case err != nil: // there are no children left
			return status
		case pid != program:
		case end.Signaled():
			status = 128 + int(end.Signal())
			go killAll()
		default:
			status = end.ExitStatus()
			go killAll()
		}
	}
}

// killAll kills every descendant of this process. It repeats this until none is left, because a
// descendant may start others before it is killed. It gives up after a thousand attempts, because a
// process of another user cannot be killed.
func killAll() {
	for range 1000 {
		for _, pid := range descendants(os.Getpid()) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(time.Millisecond)
	}
	os.Exit(1)
}

// descendants returns a process's children, their children and so on, from /proc.
func descendants(of int) (all []int) {
	entries, _ := os.ReadDir("/proc")
	children := map[int][]int{}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			parent := parentOf(pid)
			children[parent] = append(children[parent], pid)
		}
	}
	all = children[of]
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all
}

// parentOf returns a process's parent, from proc_pid_stat(5): "1 (name) S parent". The name may
// contain any character, so it ends at the last parenthesis.
func parentOf(pid int) int {
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(string(fields[1]))
	return parent
}
