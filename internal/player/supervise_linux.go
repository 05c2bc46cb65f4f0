package player

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

// The supervisor's files: a pipe whose other end c4hat holds, and one that tells it an errno,
// 0 if the program runs.
const (
	leashFile  = 3
	reportFile = 4
)

// Supervise must be the first call of main. In a process that [Start] has started to run a
// program it does not return: it runs the program, and ends when nothing is left of it.
//
// Processes that lose their parent become children of this one, whatever group or session
// they moved to (prctl(2), PR_SET_CHILD_SUBREAPER). So it knows all that the program started,
// and when there are none. It ends them when the program ends, when it is told to, and when
// c4hat has died, even by SIGKILL: then the pipe's other end is closed.
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

// killAll kills every descendant of this process, again and again: they may multiply
// meanwhile. What it may not kill, a program of another user, is left after a while.
func killAll() {
	for range 1000 {
		for _, pid := range descendants(os.Getpid()) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		time.Sleep(time.Millisecond)
	}
	os.Exit(1)
}

// descendants lists a process's children and theirs, from /proc.
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

// parentOf reads a process's parent: proc_pid_stat(5), "1 (name) S parent". The name may
// have any character.
func parentOf(pid int) int {
	stat, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(string(fields[1]))
	return parent
}
