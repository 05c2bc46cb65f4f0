package bot

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"golang.org/x/sys/unix"
)

// A program cannot fill the disk with one file, take all memory or start processes without end, and dies first if
// memory is short.
func TestLimits(t *testing.T) {
	p := begin(t, "read m; echo $(ulimit -c) $(ulimit -f) $(ulimit -d) $(cat /proc/self/oom_score_adj) "+
		"$(sed -n 's/Max processes//p' /proc/self/limits) >&2; echo 4", patient)
	var machine unix.Sysinfo_t
	must(t, unix.Sysinfo(&machine))
	_, _ = p.Choose(t.Context(), empty)
	var core, blocks, memory, first, threads int
	text := p.Close()
	if _, err := fmt.Sscan(text, &core, &blocks, &memory, &first, &threads); err != nil || core != 0 || blocks*512 != 64<<20 || memory == 0 ||
		first != 1000 || threads > int(machine.Procs)+8*mostThreads() { // meanwhile other processes start and end
		t.Errorf("%q, %v", text, err)
	}
}

// If c4hat is killed, the program ends.
func TestClientKilled(t *testing.T) {
	left := marked(t)
	cmd := exec.Command(os.Args[0], "client", script(t, well).path)
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
	for text, awake := range map[string]bool{computes: true, "(" + computes + ") <&0 & wait": true, forever: false} {
		p := begin(t, text, red)
		_, _ = io.WriteString(p.input, "\n")
		before := p.usage()
		until(t, text, func() bool {
			u := p.usage()
			return u.awake == awake && (!awake || u.used > before.used+50*time.Millisecond)
		})
		p.Close()
	}
}

// A program stands still while its rival thinks, and then plays on.
func TestRest(t *testing.T) {
	busy := begin(t, "yes >/dev/null & "+well, patient)
	slow := begin(t, forever, Options{Rules: board.Standard, Player: board.Red, MoveTime: 200 * time.Millisecond})
	defer busy.Close()
	defer slow.Close()
	slow.Rival = busy
	play := func() {
		if col, err := busy.Choose(t.Context(), empty); col != 3 || err != nil {
			t.Errorf("column %d, %v", col+1, err)
		}
	}
	play()
	if _, err := slow.Choose(t.Context(), empty); !errors.Is(err, ErrLate) {
		t.Error(err)
	}
	until(t, "it computes", func() bool { return !busy.usage().awake })
	play()
	until(t, "it does not compute", func() bool { return busy.usage().awake })
}

// A program that starts too many processes is crowded, even if they sleep; they end with it.
func TestCrowded(t *testing.T) {
	left := marked(t)
	for children, crowded := range map[int]bool{3: false, mostThreads(): true} {
		p := begin(t, fmt.Sprintf("read m; i=0; while [ $i -lt %d ]; do sleep 1000 & i=$((i+1)); done; echo 4; read m", children), patient)
		if _, err := p.Choose(t.Context(), empty); (err != nil) != crowded || (p.Crowded() != nil) != crowded {
			t.Errorf("%d children: %v, %v", children, err, p.Crowded())
		}
		p.Close()
	}
	forks := begin(t, fmt.Sprintf("i=0; while [ $i -lt %d ]; do sleep 1000 & i=$((i+1)); done; read m; read m", mostThreads()),
		Options{Rules: board.Standard, Player: board.Red, MoveTime: time.Second, StartTime: time.Minute})
	if _, err := forks.Choose(t.Context(), empty); err == nil || errors.Is(err, ErrLate) {
		t.Errorf("a program that only starts others: %v", err)
	}
	forks.Close()
	gone(t, left)
}
