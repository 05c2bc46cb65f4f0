package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

// sshd is a real sshd on loopback, behind a proxy that counts what passes.
type sshd struct {
	dir    string // has an ssh that knows it
	bytes  atomic.Int64
	listen net.Listener
}

func newSSHD(t testing.TB, command string) *sshd {
	t.Helper()
	paths := map[string]string{}
	for _, name := range []string{"ssh", "sshd", "ssh-keygen"} {
		path, err := exec.LookPath("/usr/bin/" + name) // on the PATH of the tests ssh is a stand-in
		if err != nil {
			path, err = exec.LookPath("/usr/sbin/" + name)
		}
		if err != nil {
			if os.Getenv("CI") == "true" {
				t.Fatal(err)
			}
			t.Skipf("%v: apt install openssh-server", err)
		}
		paths[name] = path
	}
	if os.Getuid() == 0 {
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil { // where sshd puts its unprivileged part
			t.Skip(err)
		}
	}
	me, err := user.Current()
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	file := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, key := range []string{"host", "mine"} {
		if out, err := exec.Command(paths["ssh-keygen"], "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, key)).CombinedOutput(); err != nil {
			t.Skipf("ssh-keygen: %v, %s", err, out)
		}
	}
	key, err := os.ReadFile(filepath.Join(dir, "mine.pub"))
	if err != nil {
		t.Fatal(err)
	}
	// sshd reads the keys as the user, who may not enter the test's folder otherwise.
	for d := dir; d != "/" && d != os.TempDir(); d = filepath.Dir(d) {
		_ = os.Chmod(d, 0o755)
	}
	authorized := file("authorized", fmt.Sprintf("restrict,command=%q %s", command, key), 0o644)
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	port := free.Addr().(*net.TCPAddr).Port
	_ = free.Close()
	config := file("sshd_config", fmt.Sprintf(`Port %d
ListenAddress 127.0.0.1
HostKey %s/host
AuthorizedKeysFile %s
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication no
PidFile none
`, port, dir, authorized), 0o644)
	daemon := exec.Command(paths["sshd"], "-D", "-e", "-f", config)
	var log printed
	daemon.Stderr = &log
	if err := daemon.Start(); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		_ = daemon.Process.Kill()
		_ = daemon.Wait()
	})
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			_ = conn.Close()
			break
		}
		if time.Now().After(deadline) {
			t.Skipf("sshd does not start: %s", log.String())
		}
	}
	s := &sshd{dir: dir}
	s.listen, err = net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.listen.Close() })
	go func() {
		for {
			near, err := s.listen.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				_ = near.Close()
				continue
			}
			for _, way := range [][2]net.Conn{{near, far}, {far, near}} {
				go func() {
					_, _ = io.Copy(countingWriter{way[1], &s.bytes}, way[0])
					_ = way[1].Close()
				}()
			}
		}
	}()
	known := fmt.Sprintf("[127.0.0.1]:%d ", s.listen.Addr().(*net.TCPAddr).Port)
	host, err := os.ReadFile(filepath.Join(dir, "host.pub"))
	if err != nil {
		t.Fatal(err)
	}
	file("known", known+string(host), 0o600)
	client := file("ssh_config", fmt.Sprintf(`Host b
  HostName 127.0.0.1
  Port %d
  User %s
  IdentityFile %s/mine
  IdentitiesOnly yes
  UserKnownHostsFile %s/known
  GlobalKnownHostsFile /dev/null
  StrictHostKeyChecking yes
`, s.listen.Addr().(*net.TCPAddr).Port, me.Username, dir, dir), 0o600)
	file("ssh", fmt.Sprintf("#!/bin/sh\nexec %s -F %s \"$@\"\n", paths["ssh"], client), 0o755)
	return s
}

type countingWriter struct {
	io.Writer
	n *atomic.Int64
}

func (w countingWriter) Write(p []byte) (int, error) {
	w.n.Add(int64(len(p)))
	return w.Writer.Write(p)
}

// The real ssh and sshd carry a match. What that costs on the line, and how much later a disc
// falls on the other side, is logged.
func TestLinkSSH(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.cable.to[0] = filepath.Join(p.cable.dir, "c4hat")
	s := newSSHD(t, strings.Join(p.cable.to, " "))
	env := []string{"PATH=" + s.dir + ":/usr/bin:/bin"}
	begun := time.Now()
	p.link = start(t, env, "c4hat", "link", "--socket", p.a.socket, "--points", "1", "b")
	p.taken(t)
	t.Logf("linked after %v with %d bytes", time.Since(begun).Round(time.Millisecond), s.bytes.Load())
	p.a.latest()
	time.Sleep(time.Second) // then the cursor breathes
	before := s.bytes.Load()
	time.Sleep(4 * time.Second)
	t.Logf("%d bytes a second while nobody moves", (s.bytes.Load()-before)/4)

	moves := ""
	var late []time.Duration
	var disc int64
	for i, col := range "1213141" {
		d, other := p.a, p.b
		if i%2 == 1 {
			d, other = p.b, p.a
		}
		p.both(t, moves)
		p.still(t)
		before := s.bytes.Load()
		seen := make(chan time.Time, 2)
		for _, at := range []*running{d, other} {
			go func() {
				for v := range at.client.Events(t.Context()) {
					if len(v.Game.String()) > i {
						seen <- time.Now()
						return
					}
				}
			}()
		}
		time.Sleep(100 * time.Millisecond)
		d.press(t, game.Column{Col: int(col - '1')})
		first, second := <-seen, <-seen
		late = append(late, second.Sub(first))
		moves += string(col)
		if i < 6 {
			p.both(t, moves)
			disc += s.bytes.Load() - before
		}
	}
	slices.Sort(late)
	t.Logf("a disc: %d bytes; it falls there later by %v", disc/6, late)
	for _, d := range []*running{p.a, p.b} {
		d.until(t, "the menu", func(v game.View) bool { return v.Phase == game.Menu && v.Game.String() == moves })
	}

	// What ssh refuses is said in one line.
	_ = p.link.Process.Signal(syscall.SIGTERM)
	_ = p.link.Wait()
	refused := func(says string) {
		t.Helper()
		l := start(t, env, "c4hat", "link", "--socket", p.a.socket, "b")
		err := l.Wait()
		if text := l.errs.String(); err == nil || l.ProcessState.ExitCode() != 1 || !strings.Contains(text, says) || strings.Count(text, "\n") != 1 {
			t.Errorf("%v, said %q, want %q", err, text, says)
		}
	}
	for name, says := range map[string]string{"known": "Host key verification failed", "mine": "Permission denied"} {
		path := filepath.Join(s.dir, name)
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		refused("b: ssh: ")
		refused(says)
		if err := os.Rename(path+".away", path); err != nil {
			t.Fatal(err)
		}
	}
	_ = s.listen.Close()
	refused("Connection refused")
}
