package bot

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// process is the supervisor of a program, see [Supervise].
type process struct {
	cmd   *exec.Cmd
	leash *os.File      // when this is closed, the supervisor ends the program
	done  chan struct{} // closed when none of the program's processes is left
}

func start(c Command, environment []string, files []*os.File) (*process, error) {
	held, leash, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer held.Close()
	report, reports, err := os.Pipe()
	if err != nil {
		leash.Close()
		return nil, err
	}
	defer report.Close()
	cmd := exec.Cmd{
		Path: "/proc/self/exe", Args: append([]string{supervisor, c.path}, c.args...), Env: environment,
		Stdin: files[0], Stdout: files[1], Stderr: files[2], ExtraFiles: []*os.File{held, reports},
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true}, // Ctrl-C in the terminal does not reach it
	}
	err = cmd.Start()
	reports.Close()
	if err != nil {
		leash.Close()
		return nil, err
	}
	text, _ := io.ReadAll(report)
	p := &process{cmd: &cmd, leash: leash, done: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // status says more
		close(p.done)
	}()
	switch number, err := strconv.Atoi(string(text)); {
	case err != nil:
		p.end()
		return nil, errors.New("it cannot be supervised: " + p.status())
	case number != 0:
		p.end()
		return nil, syscall.Errno(number)
	}
	return p, nil
}

// status returns how the program ended.
func (p *process) status() string {
	if code := p.cmd.ProcessState.ExitCode(); code > 128 {
		return fmt.Sprintf("signal %d (%v)", code-128, syscall.Signal(code-128))
	}
	return p.cmd.ProcessState.String()
}

// end ends the program and all processes that it started, and returns when they have ended.
func (p *process) end() {
	_ = p.leash.Close() // closing it twice does no harm
	<-p.done
}
