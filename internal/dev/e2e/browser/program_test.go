package browser

import (
	"bufio"
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
	"testing"
	"time"
)

var c4hat string // the program under test

func TestMain(m *testing.M) {
	flag.Parse()
	dir, err := os.MkdirTemp("", "c4hat-browser-*")
	if err != nil {
		panic(err)
	}
	c4hat = filepath.Join(dir, "c4hat")
	build := exec.Command("go", "build", "-o", c4hat, "./cmd/c4hat")
	build.Dir = "../../../.."
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	build.Stderr = os.Stderr
	status := 1
	if err := build.Run(); err == nil {
		status = m.Run()
	}
	_ = os.RemoveAll(dir)
	os.Exit(status)
}

// program is a running c4hat.
type program struct {
	*exec.Cmd
	mu   sync.Mutex
	text bytes.Buffer // what it has printed
	end  chan struct{}
}

// run starts a program, and stops it when the test ends.
func run(t *testing.T, name string, args ...string) *program {
	t.Helper()
	p := &program{Cmd: exec.Command(name, args...), end: make(chan struct{})}
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.Stderr = p.Stdout
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.end)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			p.mu.Lock()
			p.text.WriteString(lines.Text() + "\n")
			p.mu.Unlock()
		}
		_ = p.Wait()
	}()
	t.Cleanup(func() { p.stop() })
	return p
}

// stop ends the program as Ctrl-C does.
func (p *program) stop() {
	_ = p.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.end:
	case <-time.After(patience):
		_ = p.Process.Kill()
		<-p.end
	}
}

func (p *program) printed() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

var address = regexp.MustCompile(`http://\S+`)

// serve starts c4hat web on a free port and returns the link that it prints.
func serve(t *testing.T, state string, args ...string) (*program, string) {
	t.Helper()
	p := run(t, c4hat, append([]string{"web", "--listen", "127.0.0.1:0", "--state", state}, args...)...)
	return p, p.link(t)
}

// link waits for the link that c4hat web prints.
func (p *program) link(t *testing.T) (url string) {
	t.Helper()
	eventually(t, "the link", func() bool {
		url = address.FindString(p.printed())
		return url != ""
	})
	return url
}

// eventually waits until something is true.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("timed out waiting for %s", what)
		}
	}
}

// patience is the timeout of every wait. It is long because the machine may be busy.
const patience = 5 * time.Minute
