package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/service/api"
)

// pair is two services, a and b. The link runs on a's machine, whose joystick plays red in b's match.
type pair struct {
	a, b *running
	env  []string // the environment of the link
	link *program
}

// command returns a c4hat link that is not started yet.
func (p *pair) command(t testing.TB, args ...string) *program {
	t.Helper()
	return newProgram(t, p.env, append([]string{"c4hat", "link", "--socket", p.a.socket, "--their-socket", p.b.socket, "b"}, args...)...)
}

// linked starts the link, and waits until it has its seat.
func (p *pair) linked(t testing.TB, args ...string) {
	t.Helper()
	p.link = p.command(t, args...)
	p.link.begin(t)
	p.b.until(t, "red's seat "+p.link.errs.String(), func(v game.View) bool { return v.Seats[0].State == game.Taken })
}

// processes returns the processes of the link's ssh.
func (p *pair) processes() (found []int) {
	all, _ := filepath.Glob("/proc/[1-9]*")
	for _, dir := range all {
		args, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil && strings.Contains(string(args), ":"+p.b.socket) {
			found = append(found, pid)
		}
	}
	return found
}

func (p *pair) noProcess(t testing.TB) {
	t.Helper()
	eventually(t, func() bool { return len(p.processes()) == 0 }, func() string { return fmt.Sprintf("%v still run", p.processes()) })
}

// alike waits until both HATs show the match after these moves.
func (p *pair) alike(t testing.TB, moves string) {
	t.Helper()
	p.b.aims(t, moves)
	eventually(t, func() bool { return p.a.leds(t) == p.b.leds(t) }, func() string {
		return fmt.Sprintf("after %s the LEDs differ:\n%s\n%s\n%s", moves, unpacked(p.a.leds(t)), unpacked(p.b.leds(t)), p.link.errs.String())
	})
}

// sshd is a real sshd on the loopback interface.
type sshd struct {
	daemon *exec.Cmd
	dir    string // contains the keys, and an ssh that uses them
}

// The programs of ssh are not looked for in the PATH, where ssh is the tests' stand-in.
const (
	sshPath    = "/usr/bin/ssh"
	keygenPath = "/usr/bin/ssh-keygen"
	sshdPath   = "/usr/sbin/sshd"
)

// newSSHPair returns a pair that is linked by ssh.
func newSSHPair(t testing.TB) (*pair, *sshd) {
	t.Helper()
	for _, path := range []string{sshPath, keygenPath, sshdPath} {
		try.Tool(t, path)
	}
	p := &pair{a: newRunning(t), b: newRunning(t)}
	p.a.start(t)
	p.b.start(t)
	s := &sshd{dir: t.TempDir()}
	s.serveSSH(t)
	p.env = []string{"PATH=" + s.dir + ":/usr/bin:/bin"}
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

// serveSSH starts sshd.
func (s *sshd) serveSSH(t testing.TB) {
	t.Helper()
	if os.Getuid() == 0 {
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil { // for sshd's privilege separation
			t.Skipf("sshd needs this folder: %v", err)
		}
	}
	for _, key := range []string{"host", "mine"} {
		if out, err := exec.Command(keygenPath, "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(s.dir, key)).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v, %s", err, out)
		}
	}
	s.file(t, "authorized", s.read(t, "mine.pub"), 0o644)
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
`, to, s.dir), 0o644)
	daemon := exec.Command(sshdPath, "-D", "-e", "-f", config)
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
	me, err := user.Current()
	must(t, err)
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
`, port, me.Username, s.dir), 0o644)
	s.file(t, "ssh", fmt.Sprintf("#!/bin/sh\nexec %s -F %s \"$@\"\n", sshPath, client), 0o755)
}

// Two joysticks play a match through a real ssh. The line is cut in mid-match, and the
// match goes on. Whoever holds up gets the HAT back.
func TestLinkSSH(t *testing.T) {
	t.Parallel()
	p, _ := newSSHPair(t)
	p.linked(t, "--points", "1")
	p.alike(t, "")
	p.a.tap(t, keyRight, keyDown) // red's
	p.alike(t, "5")
	p.b.tap(t, keyDown) // yellow's
	p.alike(t, "54")
	for _, pid := range p.processes() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	p.link.says(t, "trying again")
	eventually(t, func() bool { p.a.tap(t, keyDown); return len(p.b.latest().Game.String()) == 3 }, p.link.errs.String)
	p.alike(t, "544")
	p.b.tap(t, keyDown)
	p.alike(t, "5444")
	if v := p.a.latest(); v.UnderWay || v.Phase != game.Attract {
		t.Errorf("the service here is in %v", v.Phase)
	}
	p.refused(t, "a second link", "the HAT is in use")
	p.a.send(t, keyUp, 1)
	p.link.says(t, "somebody has taken the HAT here")
	p.a.send(t, keyUp, 0)
	if err := p.link.Wait(); err != nil {
		t.Errorf("%v\n%s", err, p.link.errs.String())
	}
	p.noProcess(t)
	p.b.until(t, "an open seat", func(v game.View) bool { return v.Seats == [2]game.Seat{} })
	p.a.until(t, "the demo", func(v game.View) bool { return v.Phase == game.Attract })
}

// However the link ends, no process is left, and the HAT here shows the demo.
func TestLinkEnds(t *testing.T) {
	t.Parallel()
	p, _ := newSSHPair(t)
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGKILL}
	for i, s := range signals {
		p.linked(t)
		_ = p.link.Process.Signal(s)
		_ = p.link.Wait()
		p.noProcess(t)
		if s != syscall.SIGKILL {
			p.b.until(t, "an open seat", func(v game.View) bool { return v.Seats == [2]game.Seat{} })
		}
		if i < len(signals)-1 && p.a.latest().Phase != game.Attract {
			t.Errorf("after %v: %v", s, p.a.latest().Phase)
		}
	}
}

// refused checks that a link fails with one line that says why.
func (p *pair) refused(t testing.TB, what, says string, args ...string) {
	t.Helper()
	l := p.command(t, args...)
	l.begin(t)
	err := l.Wait()
	if text := l.errs.String(); l.ProcessState.ExitCode() != 1 || !strings.Contains(text, says) || strings.Count(text, "\n") != 1 || !strings.HasPrefix(text, "c4hat: ") {
		t.Errorf("%s: %v, said %q, want %q", what, err, text, says)
	}
}

// If ssh or the other machine rejects the link, the error is one line that says why.
func TestLinkRefused(t *testing.T) {
	t.Parallel()
	p, s := newSSHPair(t)
	for name, says := range map[string]string{"known": "Host key verification failed", "mine": "Permission denied"} {
		path := filepath.Join(s.dir, name)
		must(t, os.Rename(path, path+".away"))
		p.refused(t, name, "b: ssh: ")
		p.refused(t, name, says)
		must(t, os.Rename(path+".away", path))
	}
	p.refused(t, "no service there", "b: the c4hat service there does not answer", "--their-socket", "/nowhere/s")
	p.refused(t, "no service here", "nothing listens on /nowhere/s", "--socket", "/nowhere/s")
	p.b.press(t, game.Press{Key: game.Middle})
	_, err := p.b.client.Start(t.Context(), api.MatchRequest{Take: "red"})
	must(t, err)
	p.refused(t, "a taken seat", "the match on b: the seat is taken")
	path := p.env[0]
	p.env[0] = "PATH=/nowhere"
	p.refused(t, "no ssh here", "ssh is not installed here: sudo apt install openssh-client")
	p.env[0] = path
	p.linked(t, "--force") // the link still works
	_ = s.daemon.Process.Kill()
	_ = s.daemon.Wait()
	p.link.Process.Kill()
	_ = p.link.Wait()
	p.refused(t, "no sshd", "Connection refused")
}
