package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/front/light"
	"github.com/c4hat/c4hat/internal/game"
)

// puppet is a program that gives the answers that the test sets.
type puppet struct {
	path string
	fifo *os.File
}

func newPuppet(t *testing.T) *puppet {
	t.Helper()
	p := &puppet{path: filepath.Join(t.TempDir(), "puppet")}
	const script = "#!/bin/sh\nexec 3<>\"$0.fifo\"\nwhile read -r moves; do\n\tread -r column <&3\n\techo \"$column\"\ndone\n"
	must(t, os.WriteFile(p.path, []byte(script), 0o777))
	must(t, syscall.Mkfifo(p.path+".fifo", 0o666))
	var err error
	if p.fifo, err = os.OpenFile(p.path+".fifo", os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.fifo.Close() })
	return p
}

// answers makes the program answer the next line with a column.
func (p *puppet) answers(t *testing.T, column string) {
	t.Helper()
	if _, err := p.fifo.WriteString(column + "\n"); err != nil {
		t.Fatal(err)
	}
}

// processes counts the processes that run the program.
func (p *puppet) processes() (n int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		command, _ := os.ReadFile(file)
		if strings.Contains(string(command), p.path) && !strings.HasPrefix(string(command), "c4hat\x00") {
			n++
		}
	}
	return n
}

// seats starts a client whose program is yellow, and waits until it has the seat.
func (p *puppet) seats(t *testing.T, d *running, args ...string) *program {
	t.Helper()
	read, _ := pipe(t) // nothing is typed
	client := startWith(t, read, nil, append([]string{"c4hat", "play", "--socket", d.socket, "--points", "1", "--yellow-program", p.path, "--move-time", "0"}, args...)...)
	d.until(t, "a match with a seat", func(v game.View) bool { return v.Phase == game.Aim && v.Seats[1].State == game.Taken })
	return client
}

// A program plays a match on the HAT against a person at the joystick. The joystick cannot drop the
// program's discs.
func TestProgramOnHAT(t *testing.T) {
	t.Parallel()
	d, p := newRunning(t), newPuppet(t)
	d.start(t)
	watch := start(t, nil, "c4hat", "watch", "--socket", d.socket)
	client := p.seats(t, d)
	look := light.New(light.Classic, light.Full)
	moves := ""
	for _, column := range []string{"1", "2", "3"} {
		d.aims(t, moves)
		d.tap(t, keyEnter) // red's disc, in the middle
		moves += "4"
		d.aims(t, moves)
		for _, key := range []uint16{keyEnter, keyDown} {
			d.tap(t, key)
			d.until(t, "the refusal", func(v game.View) bool { return v.Notice.Kind == game.NoticeTaken })
			d.tap(t, keyLeft) // clears the refusal from the LEDs
			d.until(t, "another key", func(v game.View) bool { return v.Notice.Kind == game.NoticeNone })
		}
		if got := d.latest().Game.String(); got != moves {
			t.Fatalf("the joystick has dropped the program's disc: %s", got)
		}
		d.until(t, "the cursor in the middle, for red's next turn", func(v game.View) bool {
			switch {
			case v.Cursor < 3:
				d.tap(t, keyRight)
			case v.Cursor > 3:
				d.tap(t, keyLeft)
			}
			time.Sleep(secondTap / 5)
			return v.Cursor == 3
		})
		p.answers(t, column)
		moves += column
		d.aims(t, moves)
		v := d.latest()
		d.shows(t, look.Frame(&v.Frame))
	}
	d.tap(t, keyEnter)
	if err := client.Wait(); err != nil || !strings.HasSuffix(client.out.String(), "red wins the match 1-0\n") {
		t.Errorf("%v\n%s%s", err, client.out.String(), client.errs.String())
	}
	eventually(t, func() bool { return strings.HasSuffix(watch.out.String(), "red wins the match 1-0\n") }, func() string {
		return "watch shows\n" + watch.out.String()
	})
	for _, out := range []string{client.out.String(), watch.out.String()} {
		if text := "\nYellow is played by " + p.path + ".\n"; !strings.Contains(out, text) {
			t.Errorf("%q is missing in\n%s", text, out)
		}
	}
	if n := p.processes(); n != 0 {
		t.Errorf("%d processes are left of the program", n)
	}
}

// After the service restarts, the program gets its seat back and continues to play.
func TestProgramAndRestart(t *testing.T) {
	t.Parallel()
	d, p := newRunning(t), newPuppet(t)
	d.start(t)
	client := p.seats(t, d)
	d.tap(t, keyEnter)
	d.aims(t, "4")
	d.kill(t)
	d.start(t)
	d.until(t, "the seat", func(v game.View) bool { return v.Seats[1].State == game.Taken })
	p.answers(t, "7")
	d.aims(t, "47")
	_ = client.Process.Signal(syscall.SIGINT) // ends the client and its program
	if err := client.Wait(); err != nil {
		t.Errorf("%v\n%s", err, client.errs.String())
	}
	d.until(t, "an open seat", func(v game.View) bool { return v.Seats[1].State == game.Open && v.UnderWay })
	if n := p.processes(); n != 0 {
		t.Errorf("%d processes are left of the program", n)
	}
}

// When a client is killed, its program ends, its seat opens within 30 s, and the match continues.
func TestProgramOfKilledClient(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits for 30 s")
	}
	t.Parallel()
	d, p := newRunning(t), newPuppet(t)
	d.start(t)
	client := p.seats(t, d)
	d.tap(t, keyEnter)
	d.aims(t, "4")
	killed := time.Now()
	_ = client.Process.Kill()
	for d.latest().Seats[1].State != game.Open {
		if time.Since(killed) > patience {
			t.Fatal("the seat is still taken")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if took := time.Since(killed); took < 25*time.Second {
		t.Errorf("the seat is open after %v", took)
	}
	if n := p.processes(); n != 0 {
		t.Errorf("%d processes are left of the program", n)
	}
	d.tap(t, keyEnter)
	d.aims(t, "44")
}

// If only programs play, the terminal lists no keys for playing, and the last board stays in the
// output.
func TestProgramInTerminal(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bot") // on this board the first move decides the game
	const script = "#!/bin/sh\nread m; echo 1; read m\ncase $m in 11) echo 2;; *) echo 1;; esac\nread m\n"
	must(t, os.WriteFile(path, []byte(script), 0o777))
	s := open(t, nil, "c4hat", "play", "--local", "--state", t.TempDir(), "--board", "2x2", "--connect", "2", "--points", "1",
		"--first", "red", "--vs-cpu", "--level", "novice", "--red-program", path)
	s.ends(t, 0)
	text := s.text()
	if !strings.Contains(text, "you only watch") || strings.Contains(text, "arrows move") {
		t.Errorf("the keys in\n%q", text)
	}
	end := strings.ReplaceAll(text[max(0, len(text)-300):], "\r", "")
	if !strings.Contains(end, "1 2\n") || !strings.HasSuffix(end, "\nred, "+path+", wins 1-0\nred wins the match 1-0\n") {
		t.Errorf("at the end: %q", end)
	}
}

// After a match with a program no other follows, so the keys promise none.
func TestProgramMatchEnds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bot")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nread m; echo 2; read m\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	s := open(t, nil, "c4hat", "play", "--local", "--state", t.TempDir(), "--board", "2x2", "--connect", "2", "--points", "1",
		"--first", "red", "--yellow-program", path)
	s.shows(t, "red to move")
	s.types(t, "1")
	s.redraws(t, "red to move", "  12 ")
	s.types(t, "1")
	s.redraws(t, "red wins the match 1-0", "Enter continues")
	s.types(t, "\r")
	s.ends(t, 0)
	if strings.Contains(s.text(), "rematch") {
		t.Errorf("a rematch is offered: %q", s.text())
	}
}

// When a program fails, its seat opens at once.
func TestProgramFailsOnHAT(t *testing.T) {
	t.Parallel()
	d, p := newRunning(t), newPuppet(t)
	d.start(t)
	client := p.seats(t, d)
	d.tap(t, keyEnter)
	d.aims(t, "4")
	p.answers(t, "none")
	client.says(t, "yellow's program "+p.path+` answered "none", which is no column from 1 to 7`)
	d.until(t, "an open seat", func(v game.View) bool { return v.Seats[1].State == game.Open && v.Phase == game.Aim })
	d.tap(t, keyEnter)
	d.aims(t, "44")
}

// The program of ten lines in doc/programs.md beats the level novice on the HAT.
func TestTenLinesOnHAT(t *testing.T) {
	try.Tool(t, "python3")
	t.Parallel()
	d := newRunning(t)
	d.start(t)
	client := start(t, nil, "c4hat", "play", "--socket", d.socket, "--vs-cpu", "--level", "novice", "--seed", "1",
		"--red-program", "../../doc/examples/bot.py", "--move-time", "0")
	if err := client.Wait(); err != nil || !strings.Contains(client.out.String(), "\nred wins the match 2-") {
		t.Errorf("%v\n%s%s", err, client.out.String(), client.errs.String())
	}
}
