package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

// sshd is a real sshd on loopback, with a user of its own on each end if the test is root.
type sshd struct {
	line
	dir         string // has the keys, and an ssh that uses them
	key         string // the public one
	here, there *user.User
}

// tool returns the path of a program that the tests of ssh need.
func tool(t testing.TB, name, pkg string) string {
	t.Helper()
	for _, dir := range []string{"/usr/bin/", "/usr/sbin/"} { // on the PATH of the tests ssh is a stand-in
		if path, err := exec.LookPath(dir + name); err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is missing: apt install %s", name, pkg)
	}
	t.Skipf("%s is missing: apt install %s", name, pkg)
	return ""
}

// newUser creates a user of this system for the time of the test. Without root it is the
// test's own.
func newUser(t testing.TB, more ...string) *user.User {
	t.Helper()
	if os.Getuid() != 0 {
		me, err := user.Current()
		if err != nil {
			t.Skip(err)
		}
		return me
	}
	name := fmt.Sprintf("c4hat-%06d", rand.IntN(1e6))
	// A password that nobody can type; with none at all sshd takes the account for a locked one.
	args := append([]string{"--system", "--no-create-home", "--home-dir", "/nonexistent", "--shell", "/bin/sh", "--password", "*"}, more...)
	if out, err := exec.Command(tool(t, "useradd", "passwd"), append(args, name)...).CombinedOutput(); err != nil {
		t.Fatalf("useradd: %v, %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("/usr/sbin/userdel", "--force", name).Run() })
	u, err := user.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// newPlayer is a user who may use the socket.
func newPlayer(t testing.TB) *user.User { t.Helper(); return newUser(t, "--groups", "games") }

// credential makes a program a user's.
func credential(t testing.TB, u *user.User) *syscall.Credential {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	ids, err := u.GroupIds()
	if err != nil {
		t.Fatal(err)
	}
	number := func(text string) uint32 { n, _ := strconv.ParseUint(text, 10, 32); return uint32(n) }
	c := &syscall.Credential{Uid: number(u.Uid), Gid: number(u.Gid)}
	for _, id := range ids {
		c.Groups = append(c.Groups, number(id))
	}
	return c
}

// give makes a file a user's.
func give(t testing.TB, u *user.User, path string) {
	t.Helper()
	if c := credential(t, u); c != nil {
		if err := os.Chown(path, int(c.Uid), int(c.Gid)); err != nil {
			t.Fatal(err)
		}
	}
}

// letIn lets every user into a folder of the test.
func letIn(dir string) {
	for ; dir != "/" && dir != os.TempDir(); dir = filepath.Dir(dir) {
		_ = os.Chmod(dir, 0o755)
	}
}

// newSSHPair is a pair that is joined by ssh.
func newSSHPair(t testing.TB) (*pair, *sshd) {
	t.Helper()
	for _, name := range []string{"ssh", "sshd", "ssh-keygen"} {
		tool(t, name, "openssh-server")
	}
	p := newServices(t)
	s := &sshd{dir: t.TempDir(), here: newPlayer(t), there: newPlayer(t)}
	for _, dir := range []string{s.dir, filepath.Dir(p.a.socket), filepath.Dir(p.b.socket)} {
		letIn(dir)
	}
	// Users cannot run the test's program where it is.
	p.exe = filepath.Join(s.dir, "c4hat")
	text, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	s.file(t, "c4hat", string(text), 0o755)
	there := filepath.Join(s.dir, "there") // what the other machine has on its PATH
	if err := os.Mkdir(there, 0o755); err != nil {
		t.Fatal(err)
	}
	s.file(t, "there/c4hat", fmt.Sprintf("#!/bin/sh\nexec %s \"$@\" --socket %s\n", p.exe, p.b.socket), 0o755)
	s.serveSSH(t, there)
	p.line, p.host, p.as = &s.line, "b", credential(t, s.here)
	p.env = []string{"PATH=" + s.dir + ":/usr/bin:/bin", "HERE=" + p.a.socket}
	if p.as != nil {
		p.names = append(p.names, s.there.Username)
	}
	return p, s
}

func (s *sshd) file(t testing.TB, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func (s *sshd) read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// allow sets how the key may be used, as in authorized_keys.
func (s *sshd) allow(t testing.TB, options string) {
	t.Helper()
	s.file(t, "authorized", options+s.key, 0o644)
}

// serveSSH starts sshd. The programs on the other machine are in a folder.
func (s *sshd) serveSSH(t testing.TB, programs string) {
	t.Helper()
	if os.Getuid() == 0 {
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil { // where sshd puts its unprivileged part
			t.Skip(err)
		}
	}
	for _, key := range []string{"host", "mine"} {
		if out, err := exec.Command(tool(t, "ssh-keygen", "openssh-client"), "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(s.dir, key)).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v, %s", err, out)
		}
	}
	give(t, s.here, filepath.Join(s.dir, "mine"))
	s.key = s.read(t, "mine.pub")
	s.allow(t, "")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	to := free.Addr().String()
	_ = free.Close()
	config := s.file(t, "sshd_config", fmt.Sprintf(`ListenAddress %s
HostKey %[2]s/host
AuthorizedKeysFile %[2]s/authorized
StrictModes no
UsePAM no
PermitRootLogin yes
PasswordAuthentication no
PidFile none
SetEnv PATH=%[3]s:/usr/bin:/bin
`, to, s.dir, programs), 0o644)
	daemon := exec.Command(tool(t, "sshd", "openssh-server"), "-D", "-e", "-f", config)
	var log printed
	daemon.Stderr = &log
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = daemon.Process.Kill()
		_ = daemon.Wait()
		if t.Failed() {
			t.Log(log.String())
		}
	})
	eventually(t, func() bool {
		conn, err := net.Dial("tcp", to)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	}, log.String)
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	s.serve(t, func(near net.Conn) {
		far, err := net.Dial("tcp", to)
		if err != nil {
			return
		}
		back := make(chan struct{})
		go func() {
			defer close(back)
			s.copy(near, far)
			_ = near.Close()
		}()
		s.copy(far, near)
		_ = far.Close()
		<-back
	})
	port := s.listener.Addr().(*net.TCPAddr).Port
	s.file(t, "known", fmt.Sprintf("[127.0.0.1]:%d %s", port, s.read(t, "host.pub")), 0o644)
	client := s.file(t, "ssh_config", fmt.Sprintf(`Host b
  HostName 127.0.0.1
  Port %d
  User %s
  IdentityFile %[3]s/mine
  IdentitiesOnly yes
  UserKnownHostsFile %[3]s/known
  GlobalKnownHostsFile /dev/null
  StrictHostKeyChecking yes
`, port, s.there.Username, s.dir), 0o644)
	s.file(t, "ssh", fmt.Sprintf("#!/bin/sh\nexec %s -F %s \"$@\"\n", tool(t, "ssh", "openssh-client"), client), 0o755)
}

// The real ssh and sshd carry a match. What that costs on the line, and how much later a disc
// falls on the other side, is logged.
func TestLinkSSH(t *testing.T) {
	t.Parallel()
	p, s := newSSHPair(t)
	s.allow(t, `restrict,command="c4hat link --answer" `)
	bytes := func() int64 { _, n := s.count(); return n }
	begun := time.Now()
	p.linked(t, "--points", "1")
	t.Logf("linked after %v with %d bytes", time.Since(begun).Round(time.Millisecond), bytes())
	time.Sleep(time.Second) // then the cursor breathes
	before := bytes()
	time.Sleep(4 * time.Second)
	t.Logf("%d bytes a second while nobody moves", (bytes()-before)/4)

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
		before := bytes()
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
			disc += bytes() - before
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
		l := p.command(t)
		l.begin(t)
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
	_ = s.listener.Close()
	refused("Connection refused")
}
