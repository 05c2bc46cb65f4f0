package bot

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"golang.org/x/sys/unix"
)

// If a supervisor is killed or stopped, the program leaves no process either, and others play on.
func TestSupervisorAttacked(t *testing.T) {
	other := begin(t, "well", red)
	defer other.Close()
	left := marked(t)
	for _, attack := range []syscall.Signal{syscall.SIGKILL, syscall.SIGSTOP} {
		p := begin(t, "leaves", red)
		_, _ = p.Choose(t.Context(), empty)
		_ = p.cmd.Process.Signal(attack)
		p.Close()
		if rest := left(); len(rest) > 0 {
			t.Errorf("%v: left: %q", attack, rest)
		}
		if col, err := other.Choose(t.Context(), empty); col != 3 || err != nil {
			t.Errorf("%v: another program plays %d, %v", attack, col+1, err)
		}
	}
}

// A program can send signals neither to its supervisor nor to c4hat. It cannot fill the disk with one
// file or take all memory, and dies first if memory is short.
func TestConfined(t *testing.T) {
	t.Setenv("C4HAT_TEST_PID", strconv.Itoa(os.Getpid()))
	tests := map[string]string{"limits": "0 67108864 true 1000"}
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno == 0 && abi >= 6 {
		tests["attacks"] = "operation not permitted operation not permitted"
	}
	for behaviour, want := range tests {
		p := begin(t, behaviour, red)
		_, _ = p.Choose(t.Context(), empty)
		if text := p.Close(); text != want {
			t.Errorf("%s: %q", behaviour, text)
		}
	}
}

// A program ends with its supervisor, and the error says so.
func TestSupervisorKilled(t *testing.T) {
	p := begin(t, "stubborn", patient)
	defer p.Close()
	_ = p.cmd.Process.Kill()
	if _, err := p.Choose(t.Context(), board.Game{}); err == nil || err.Error() != "ended with its supervisor, which was killed" {
		t.Error(err)
	}
}

// However late a program ends, the error says how.
func TestEndsLate(t *testing.T) {
	p := begin(t, "once", patient)
	defer p.Close()
	_, _ = p.Choose(t.Context(), empty)
	_ = p.line.SetReadDeadline(time.Unix(1, 0)) // as if it had started long ago
	if _, err := p.Choose(t.Context(), empty); err == nil || err.Error() != "ended with exit status 1" {
		t.Error(err)
	}
}

// If c4hat is killed, no process of the program is left.
func TestClientKilled(t *testing.T) {
	left := marked(t)
	cmd := exec.Command(os.Args[0], "behave", "client")
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	if text, err := bufio.NewReader(out).ReadString('\n'); text != "started\n" {
		t.Fatal(text, err)
	}
	if n := len(left()); n != 4 { // c4hat, the supervisor, the program, and what it started
		t.Errorf("%d processes, want 4: %q", n, left())
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	for end := time.Now().Add(time.Minute); len(left()) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("left after a minute: %q", left())
		}
	}
}

// The processor time of all the program's processes counts.
func TestUsage(t *testing.T) {
	for behaviour, computes := range map[string]bool{"computes": true, "child computes": true, "nothing": false} {
		p := begin(t, behaviour, red)
		_, _ = p.input.WriteString("\n")
		before, _ := p.usage()
		for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			used, awake := p.usage()
			if awake == computes && (!computes || used > before+50*time.Millisecond) {
				break
			}
			if time.Now().After(end) {
				t.Errorf("%s: used %v, awake %t", behaviour, used-before, awake)
				break
			}
		}
		p.Close()
	}
}

// What a program uses in the other's turn is held against it, unless it is still starting.
func TestDisplaces(t *testing.T) {
	for behaviour, computes := range map[string]bool{"processors": true, "well": false} {
		p := begin(t, behaviour, red)
		defer p.Close()
		if p.displaces(0, -time.Hour) {
			t.Errorf("%s: while it starts", behaviour)
		}
		if _, err := p.Choose(t.Context(), empty); err != nil {
			t.Fatal(err)
		}
		before, _ := p.usage()
		for end := time.Now().Add(time.Minute); p.displaces(before, 100*time.Millisecond) != computes; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: displaces %t", behaviour, !computes)
			}
		}
	}
	if (*Program)(nil).displaces(0, -time.Hour) {
		t.Error("nobody displaces")
	}
}
