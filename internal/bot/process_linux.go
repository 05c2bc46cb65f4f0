package bot

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A program runs under a supervisor: c4hat itself, started a second time. Processes that lose their
// parent become children of the supervisor, whatever group or session they moved to (prctl(2),
// PR_SET_CHILD_SUBREAPER). So the supervisor finds every process that the program has started. It
// ends them all when the program ends, when c4hat says so, and when c4hat is killed.
//
// A program can stop or kill its supervisor, which runs as the same user. Then c4hat adopts the
// program's processes, and ends them itself. Only a program that kills both leaves processes.
const supervisor = "c4hat-program"

// lineFile is the supervisor's file descriptor of a socket to c4hat. On this socket the supervisor
// sends an errno, which is 0 if the program has started, and the status with which the program
// ended. When c4hat closes the socket or dies, the supervisor ends the program.
const lineFile = 3

// process is the supervisor of a program.
type process struct {
	cmd  *exec.Cmd
	line *os.File      // the socket
	done chan struct{} // closed when the supervisor has ended
}

// supervisors has the supervisors that this process has started. Any other child was adopted, since
// a command that runs programs starts no other processes.
var supervisors = struct {
	sync.Mutex
	running map[int]bool
}{running: map[int]bool{}}

// start starts a program, as a child of its supervisor.
func start(cmd *exec.Cmd) (*process, error) {
	adopt()
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("socketpair", err)
	}
	_ = unix.SetNonblock(ends[0], true) // so that a read can have a deadline
	p := &process{cmd: cmd, line: os.NewFile(uintptr(ends[0]), supervisor), done: make(chan struct{})}
	theirs := os.NewFile(uintptr(ends[1]), supervisor)
	defer theirs.Close()
	cmd.Args = append([]string{supervisor, cmd.Path}, cmd.Args...)
	cmd.Path, cmd.ExtraFiles = "/proc/self/exe", []*os.File{theirs}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C in the terminal does not reach it
	cmd.WaitDelay = patience
	if err := p.run(); err != nil {
		p.line.Close()
		return nil, err
	}
	theirs.Close()
	_ = p.line.SetReadDeadline(time.Now().Add(patience))
	switch number, err := p.read(); {
	case err != nil:
		p.end()
		return nil, errors.New("it cannot be supervised")
	case number != 0:
		p.end()
		return nil, syscall.Errno(number)
	}
	return p, nil
}

// run starts the supervisor.
func (p *process) run() error {
	supervisors.Lock()
	defer supervisors.Unlock()
	if err := p.cmd.Start(); err != nil {
		return err
	}
	pid := p.cmd.Process.Pid
	supervisors.running[pid] = true
	go func() {
		_ = p.cmd.Wait() // status says more
		supervisors.Lock()
		delete(supervisors.running, pid)
		supervisors.Unlock()
		close(p.done)
	}()
	return nil
}

// read reads a number from the supervisor.
func (p *process) read() (int, error) {
	var text [16]byte
	n, _ := p.line.Read(text[:])
	return strconv.Atoi(string(text[:n]))
}

// status returns how the program ended. It must be called after p is done.
func (p *process) status() string {
	number, err := p.read()
	switch end := syscall.WaitStatus(number); {
	case err != nil:
		return "its supervisor, which was killed"
	case end.Signaled():
		return fmt.Sprintf("signal %d (%v)", end.Signal(), end.Signal())
	default:
		return fmt.Sprintf("exit status %d", end.ExitStatus())
	}
}

// end ends the program and all processes that it started, and returns when they have ended.
func (p *process) end() {
	_ = p.line.Close() // closing it twice does no harm
	if !await(p.done, patience) {
		_ = p.cmd.Process.Kill() // it was stopped
	}
	if await(p.done, patience) && !p.cmd.ProcessState.Success() {
		supervisors.Lock()
		defer supervisors.Unlock()
		killAll(supervisors.running)
	}
}

// unread reports whether there is something in a pipe that nobody has read yet.
func unread(pipe *os.File) bool {
	n := 0
	conn, err := pipe.SyscallConn()
	if err == nil {
		err = conn.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), unix.TIOCINQ) })
	}
	return err == nil && n > 0
}

// Supervise must be the first call of main. In a process that [Start] has started to run a program,
// Supervise does not return: it runs the program, and exits when none of its processes is left.
func Supervise() {
	if len(os.Args) > 2 && os.Args[0] == supervisor {
		os.Exit(supervise(os.Args[1], os.Args[2:]))
	}
}

// supervise returns 0 if no process is left.
func supervise(path string, args []string) int {
	runtime.LockOSThread() // the program dies with this thread
	syscall.CloseOnExec(lineFile)
	adopt()
	program, err := syscall.ForkExec(path, args, &syscall.ProcAttr{
		Env: os.Environ(), Files: []uintptr{0, 1, 2},
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	number, _ := err.(syscall.Errno) // 0 without an error
	report(int(number))
	for file := range 3 { // only the program holds its pipes open
		_ = syscall.Close(file)
	}
	if err != nil {
		return 0
	}
	go func() {
		for {
			if _, err := syscall.Read(lineFile, make([]byte, 1)); err != syscall.EINTR {
				break
			}
		}
		_ = syscall.Kill(-program, syscall.SIGTERM)
		time.Sleep(goodbye)
		os.Exit(killAll(nil))
	}()
	var end syscall.WaitStatus
	for pid := 0; pid != program; {
		if pid, err = syscall.Wait4(-1, &end, 0, nil); err == syscall.ECHILD {
			break // the goroutine has ended the program
		}
	}
	left := killAll(nil)
	report(int(end))
	return left
}

// adopt makes this process the parent of descendants that lose theirs. No kernel that runs Go
// refuses it.
func adopt() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

func report(number int) { _, _ = syscall.Write(lineFile, []byte(strconv.Itoa(number))) }

// killAll kills this process's children, except some, until none is left: the children of a process
// that was killed become children of this one. It gives up after a while, and then returns 1,
// because a process of another user cannot be killed.
func killAll(except map[int]bool) (left int) {
	for end := time.Now().Add(patience / 2); time.Now().Before(end); time.Sleep(time.Millisecond) {
		all := children(except)
		if len(all) == 0 {
			return 0
		}
		for _, pid := range all {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		}
	}
	return 1
}

// children returns this process's children, except some, from proc_pid_stat(5): "1 (name) S parent".
// The name may contain any character, so it ends at the last parenthesis.
func children(except map[int]bool) (all []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		stat, _ := os.ReadFile(file)
		var pid, parent int
		var state string
		_, _ = fmt.Sscan(string(stat), &pid)
		_, _ = fmt.Sscan(string(stat[bytes.LastIndexByte(stat, ')')+1:]), &state, &parent)
		if parent == os.Getpid() && !except[pid] {
			all = append(all, pid)
		}
	}
	return all
}
