package bot

import (
	"bufio"
	"os"
	"os/exec"
	"testing"
	"time"
)

// A program cannot fill the disk with one file or take all memory, and dies first if memory is short.
func TestLimits(t *testing.T) {
	p := begin(t, "limits", red)
	_, _ = p.Choose(t.Context(), empty)
	if text := p.Close(); text != "0 67108864 true 1000" {
		t.Errorf("%q", text)
	}
}

// If c4hat is killed, the program ends.
func TestClientKilled(t *testing.T) {
	left := marked(t)
	cmd := exec.Command(os.Args[0], "behave", "client")
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	if text, err := bufio.NewReader(out).ReadString('\n'); text != "started\n" {
		t.Fatal(text, err)
	}
	if n := len(left()); n != 2 { // c4hat and the program
		t.Errorf("%d processes, want 2: %q", n, left())
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	gone(t, left)
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
func TestSpent(t *testing.T) {
	p := begin(t, "processors", red)
	defer p.Close()
	if p.spent() != 0 || (*Program)(nil).spent() != 0 {
		t.Error("it is starting")
	}
	_, err := p.Choose(t.Context(), empty)
	must(t, err)
	for end := time.Now().Add(time.Minute); p.spent() < 100*time.Millisecond; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nothing is spent")
		}
	}
}
