package bot

import (
	"bufio"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// If c4hat is killed, no process of the program is left.
func TestSuperviseKilled(t *testing.T) {
	t.Setenv(mark, "killed")
	cmd := exec.Command(os.Args[0], "behave", "client")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if text, err := bufio.NewReader(out).ReadString('\n'); text != "started\n" {
		t.Fatal(text, err)
	}
	if n := len(left("killed")); n != 4 { // c4hat, the supervisor, the program, and what it started
		t.Errorf("%d processes, want 4: %q", n, left("killed"))
	}
	_ = cmd.Process.Signal(syscall.SIGKILL)
	_ = cmd.Wait()
	end := time.Now().Add(time.Minute)
	for len(left("killed")) > 0 {
		if time.Now().After(end) {
			t.Fatalf("left after a minute: %q", left("killed"))
		}
		time.Sleep(10 * time.Millisecond)
	}
}
