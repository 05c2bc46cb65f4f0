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
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

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
	cmd.Args = append([]string{supervisor, strconv.Itoa(mostThreads()), cmd.Path}, cmd.Args...)
	cmd.Path, cmd.ExtraFiles = "/proc/self/exe", []*os.File{theirs}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C in the terminal does not reach it
	cmd.WaitDelay = patience
	if err := p.run(); err != nil {
		p.line.Close()
		return nil, err
	}
	theirs.Close()
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

// read reads a number from the supervisor, which has sent it or is about to.
func (p *process) read() (int, error) {
	_ = p.line.SetReadDeadline(time.Now().Add(patience))
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
		_ = p.cmd.Process.Kill() // it was stopped, or its machine is very busy
	}
	if !await(p.done, time.Minute) || !p.cmd.ProcessState.Success() {
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
	if len(os.Args) > 3 && os.Args[0] == supervisor {
		threads, _ := strconv.Atoi(os.Args[1])
		os.Exit(supervise(uint64(threads), os.Args[2], os.Args[3:]))
	}
}

// supervise returns 0 if no process is left.
func supervise(threads uint64, path string, args []string) int {
	syscall.CloseOnExec(lineFile)
	adopt()
	program, err := 0, error(nil)
	started := make(chan struct{})
	var run func()
	run = func() {
		runtime.LockOSThread() // the program dies with this thread
		if unix.Gettid() == os.Getpid() {
			go run() // signals to the supervisor go by its first thread, which is not confined
			select {}
		}
		confine()
		program, err = syscall.ForkExec(path, args, &syscall.ProcAttr{
			Env: os.Environ(), Files: []uintptr{0, 1, 2},
			Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
		})
		close(started)
		select {}
	}
	go run()
	<-started
	if err == nil {
		limit(program, threads)
	}
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

// confine keeps what this thread starts from sending signals to anything else, such as c4hat, the
// supervisor or the other program, and from tracing it (landlock(7), since Linux 6.12). As a kernel
// demands for that, no program that it starts gains privileges, as sudo does.
func confine() {
	rules := unix.LandlockRulesetAttr{Scoped: unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET}
	file, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), unsafe.Sizeof(rules), 0)
	if errno == 0 {
		_ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
		_, _, _ = unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, file, 0, 0)
		_ = unix.Close(int(file))
	}
}

// limit limits what a program can take from the others on the machine, as far as the system lets an
// ordinary user do that: the size of a file, memory for data, and the threads of all the user's
// processes. If memory is short nevertheless, the kernel ends the program first.
func limit(program int, threads uint64) {
	limits := map[int]uint64{unix.RLIMIT_CORE: 0, unix.RLIMIT_FSIZE: 64 << 20, unix.RLIMIT_NPROC: threads}
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
var mostThreads = sync.OnceValue(func() int {
	n := 64 + 16*runtime.NumCPU() // for programs
	for pid, p := range stats("/proc/[0-9]*/stat") {
		if info, err := os.Stat(fmt.Sprint("/proc/", pid)); err == nil && info.Sys().(*syscall.Stat_t).Uid == uint32(os.Getuid()) {
			n += p.threads
		}
	}
	return n
})

// adopt makes this process the parent of descendants that lose theirs. No kernel that runs Go
// refuses it.
func adopt() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

func report(number int) { _, _ = syscall.Write(lineFile, []byte(strconv.Itoa(number))) }

// killAll kills this process's children, except some, until none is left: the children of a process
// that was killed become children of this one. It gives up after many tries, however long each takes
// on a busy machine, and then returns 1, because a process of another user cannot be killed.
func killAll(except map[int]bool) (left int) {
	for range 1000 {
		left = 0
		for pid, p := range stats("/proc/[0-9]*/stat") {
			if p.parent == os.Getpid() && !except[pid] {
				left = 1
				_ = syscall.Kill(pid, syscall.SIGKILL)
				_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
			}
		}
		if left == 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return left
}

// stat has what proc_pid_stat(5) says of a process or thread.
type stat struct {
	parent, threads int
	used            time.Duration // processor time, with that of children that have ended
	awake           bool          // it runs, or waits for the processor or the disk
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
		all[pid] = stat{number(4), number(20), time.Duration(ticks) * time.Second / perSecond, fields[0] == "R" || fields[0] == "D"}
	}
	return all
}

// usage returns the processor time that the program's processes have used so far, and whether any of
// them is awake.
func (p *process) usage() (used time.Duration, awake bool) {
	all := stats("/proc/[0-9]*/stat")
	for pid, s := range all {
		for at := pid; at != p.cmd.Process.Pid; at = all[at].parent {
			if at == 0 || at == os.Getpid() {
				s = stat{}
				break
			}
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
