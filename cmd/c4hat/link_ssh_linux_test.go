package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
)

// sshd is a real sshd on the loopback interface. If the test runs as root, each end has its own
// user.
type sshd struct {
	daemon      *exec.Cmd
	dir         string // contains the keys, and an ssh that uses them
	key         string // the public key
	here, there *user.User
}

// tool returns the path of a program that the tests of ssh need.
func tool(t testing.TB, name, pkg string) string {
	t.Helper()
	for _, dir := range []string{"/usr/bin/", "/usr/sbin/"} { // not from the PATH, where ssh is the tests' stand-in
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

// newUser creates a system user, and removes it after the test. If the test does not run as root,
// newUser returns the test's own user.
func newUser(t testing.TB, more ...string) *user.User {
	t.Helper()
	if os.Getuid() != 0 {
		me, err := user.Current()
		if err != nil {
			t.Skipf("ssh needs a user with a name: %v", err)
		}
		return me
	}
	forgetUsers()
	name := fmt.Sprintf("c4hat-%d-%d", os.Getpid(), rand.IntN(1e6))
	// No password matches the hash *. Without a hash, sshd would treat the account as locked.
	args := append([]string{"--system", "--no-create-home", "--home-dir", "/nonexistent", "--shell", "/bin/sh", "--password", "*"}, more...)
	if out, err := exec.Command(tool(t, "useradd", "passwd"), append(args, name)...).CombinedOutput(); err != nil {
		t.Fatalf("useradd: %v, %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("/usr/sbin/userdel", "--force", name).Run() })
	u, err := user.Lookup(name)
	must(t, err)
	return u
}

// forgetUsers removes users that killed tests have left behind.
func forgetUsers() {
	passwd, _ := os.ReadFile("/etc/passwd")
	for _, u := range regexp.MustCompile(`(?m)^(c4hat-(\d+)-\d+):`).FindAllStringSubmatch(string(passwd), -1) {
		if _, err := os.Stat("/proc/" + u[2]); err != nil {
			_ = exec.Command("/usr/sbin/userdel", "--force", u[1]).Run()
		}
	}
}

// newPlayer returns a user who may use the socket.
func newPlayer(t testing.TB) *user.User { t.Helper(); return newUser(t, "--groups", "games") }

// credential returns the credential with which a program runs as a user.
func credential(t testing.TB, u *user.User) *syscall.Credential {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	ids, err := u.GroupIds()
	must(t, err)
	number := func(text string) uint32 { n, _ := strconv.ParseUint(text, 10, 32); return uint32(n) }
	c := &syscall.Credential{Uid: number(u.Uid), Gid: number(u.Gid)}
	for _, id := range ids {
		c.Groups = append(c.Groups, number(id))
	}
	return c
}

// give makes a user the owner of a file.
func give(t testing.TB, u *user.User, path string) {
	t.Helper()
	if c := credential(t, u); c != nil {
		must(t, os.Chown(path, int(c.Uid), int(c.Gid)))
	}
}

// letIn gives every user access to a folder of the test.
func letIn(dir string) {
	for ; dir != "/" && dir != os.TempDir(); dir = filepath.Dir(dir) {
		_ = os.Chmod(dir, 0o755)
	}
}

// newSSHPair returns a pair that is linked by ssh.
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
	// Other users have no access to the test's program, so copy it.
	p.exe = filepath.Join(s.dir, "c4hat")
	text, err := os.ReadFile("/proc/self/exe")
	must(t, err)
	s.file(t, "c4hat", string(text), 0o755)
	there := filepath.Join(s.dir, "there") // the other machine's PATH
	must(t, os.Mkdir(there, 0o755))
	s.file(t, "there/c4hat", fmt.Sprintf("#!/bin/sh\nexec %s \"$@\" --socket %s\n", p.exe, p.b.socket), 0o755)
	s.serveSSH(t, there)
	p.host, p.as = "b", credential(t, s.here)
	p.env = []string{"PATH=" + s.dir + ":/usr/bin:/bin", "HERE=" + p.a.socket}
	if p.as != nil {
		p.names = append(p.names, s.there.Username)
	}
	return p, s
}

func (s *sshd) file(t testing.TB, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(s.dir, name)
	must(t, os.WriteFile(path, []byte(text), mode))
	return path
}

func (s *sshd) read(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	must(t, err)
	return string(text)
}

// allow sets the options of the key in authorized_keys.
func (s *sshd) allow(t testing.TB, options string) {
	t.Helper()
	s.file(t, "authorized", options+s.key, 0o644)
}

// serveSSH starts sshd. programs is the folder of the programs on the other machine.
func (s *sshd) serveSSH(t testing.TB, programs string) {
	t.Helper()
	if os.Getuid() == 0 {
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil { // for sshd's privilege separation
			t.Skipf("sshd needs this folder: %v", err)
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
	var log gametest.Log
	daemon.Stderr = &log
	must(t, daemon.Start())
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
	s.daemon = daemon
	host, port, _ := net.SplitHostPort(to)
	s.file(t, "known", fmt.Sprintf("[%s]:%s %s", host, port, s.read(t, "host.pub")), 0o644)
	client := s.file(t, "ssh_config", fmt.Sprintf(`Host b
  HostName 127.0.0.1
  Port %s
  User %s
  IdentityFile %[3]s/mine
  IdentitiesOnly yes
  UserKnownHostsFile %[3]s/known
  GlobalKnownHostsFile /dev/null
  StrictHostKeyChecking yes
`, port, s.there.Username, s.dir), 0o644)
	s.file(t, "ssh", fmt.Sprintf("#!/bin/sh\nexec %s -F %s \"$@\"\n", tool(t, "ssh", "openssh-client"), client), 0o755)
}

// Two services are linked through a real ssh and sshd, with a key that can only link.
func TestLinkSSH(t *testing.T) {
	t.Parallel()
	p, s := newSSHPair(t)
	s.allow(t, `restrict,command="c4hat link --answer" `)
	p.linked(t, "--points", "1")
	moves := ""
	for i, col := range "1213141" {
		p.both(t, moves)
		p.still(t)
		[]*running{p.a, p.b}[i%2].press(t, game.Column{Col: int(col - '1')})
		moves += string(col)
	}
	for _, d := range []*running{p.a, p.b} {
		d.until(t, "the menu", func(v game.View) bool { return v.Phase == game.Menu && v.Game.String() == moves })
	}
	p.quit(t)
}

// If ssh or the other machine rejects the link, the error is one line that says why.
func TestLinkSSHRefused(t *testing.T) {
	t.Parallel()
	p, s := newSSHPair(t)
	for name, says := range map[string]string{"known": "Host key verification failed", "mine": "Permission denied"} {
		path := filepath.Join(s.dir, name)
		must(t, os.Rename(path, path+".away"))
		p.refused(t, name, nil, "b: ssh: ")
		p.refused(t, name, nil, says)
		must(t, os.Rename(path+".away", path))
	}
	other := func(d *running, program string) {
		d.stop(t)
		d.args[0] = program
		d.start(t)
	}
	other(p.b, "c4hat-other")
	p.refused(t, "another version there", nil, ", on b 9.9.9: install the same version on both")
	other(p.b, "c4hat")
	other(p.a, "c4hat-other")
	p.refused(t, "another version here", nil, "here is c4hat 9.9.9, on b ")
	other(p.a, "c4hat")
	if p.as != nil { // otherwise both ends have the test's user
		stranger := newUser(t)
		as := p.as
		p.as = credential(t, stranger)
		p.refused(t, "not in the group here", nil, p.a.socket+": permission denied: the socket belongs to group games: sudo usermod -aG games $USER, then log in again")
		p.as = as
		config := s.read(t, "ssh_config")
		s.file(t, "ssh_config", strings.Replace(config, s.there.Username, stranger.Username, 1), 0o644)
		p.refused(t, "not in the group there", nil, "b: "+p.b.socket+": permission denied: the socket belongs to group games: sudo usermod -aG games $USER, then log in again")
		s.file(t, "ssh_config", config, 0o644)
	}
	p.linked(t) // the link still works
	p.quit(t)
	_ = s.daemon.Process.Kill()
	_ = s.daemon.Wait()
	p.refused(t, "no sshd", nil, "Connection refused")
}
