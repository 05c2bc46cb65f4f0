//go:build unix

package bot

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
)

// The test's binary is also the program that plays: with the arguments "behave NAME" it runs that
// entry of behaviours.
func TestMain(m *testing.M) {
	Supervise()
	if len(os.Args) == 3 && os.Args[1] == "behave" {
		behaviours[os.Args[2]]()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// play answers every turn.
func play(answer func(moves string)) {
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		answer(in.Text())
	}
}

func say(text string) func(string) { return func(string) { fmt.Print(text) } }

func forever() {
	for {
		time.Sleep(time.Hour)
	}
}

var behaviours = map[string]func(){
	"well":       func() { play(say("4\n")) },
	"spaces":     func() { play(say(" 4 \r\n")) },
	"no newline": func() { _, _ = fmt.Scanln(); fmt.Print("4") },
	"environment": func() {
		play(func(moves string) {
			fmt.Fprintf(os.Stderr, "[%s] %s %s %s\n", moves, os.Getenv("C4HAT_BOARD"), os.Getenv("C4HAT_CONNECT"), os.Getenv("C4HAT_PLAYER"))
			fmt.Println(1)
		})
	},
	"plies":      func() { play(func(moves string) { fmt.Println(len(moves) + 1) }) },
	"exits":      func() {},
	"fails":      func() { fmt.Fprintln(os.Stderr, "Traceback\nNameError: no \x1b[1mname"); os.Exit(3) },
	"crashes":    func() { _ = syscall.Kill(os.Getpid(), syscall.SIGKILL); forever() },
	"once":       func() { _, _ = fmt.Scanln(); fmt.Println(4); os.Exit(1) },
	"text":       func() { play(say("thinking...\n")) },
	"empty":      func() { play(say("\n")) },
	"zero":       func() { play(say("0\n")) },
	"nine":       func() { play(say("9\n")) },
	"full":       func() { play(say("1\n")) },
	"two lines":  func() { play(say("4\n5\n")) },
	"early":      func() { fmt.Println(4); play(say("4\n")) },
	"long line":  func() { _, _ = io.CopyN(os.Stdout, letters{}, 1<<20); forever() },
	"endless":    func() { _, _ = io.Copy(os.Stdout, letters{}) },
	"nothing":    forever,
	"deaf":       func() { os.Stdin.Close(); forever() },
	"stubborn":   func() { signal.Ignore(syscall.SIGTERM, syscall.SIGHUP); forever() },
	"closes":     func() { os.Stdout.Close(); forever() },
	"complains":  func() { _, _ = io.CopyN(os.Stderr, letters{}, 1<<30); play(say("4\n")) },
	"processors": func() { busy(); play(say("4\n")) },
	"child":      func() { spawn(nil); play(say("4\n")) },
	"session":    func() { spawn(&syscall.SysProcAttr{Setsid: true}); play(say("4\n")) },
	"orphan":     func() { spawn(&syscall.SysProcAttr{Setsid: true}) },
	"forks":      func() { fork(); play(say("4\n")) },
	"client": func() { // runs a program that starts a process in another session and does nothing else
		p, err := Start(behaves("session"), Options{Rules: board.Standard, Player: board.Red})
		if err != nil {
			panic(err)
		}
		_, _ = p.Choose(background, board.Game{})
		fmt.Println("started")
		forever()
	},
}

// letters is a reader of endless text.
type letters struct{}

func (letters) Read(b []byte) (int, error) {
	return copy(b, strings.Repeat("x", len(b))), nil
}
