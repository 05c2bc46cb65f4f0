package main

import (
	"fmt"
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

// newSSHPair returns a pair that is linked by a real ssh, which starts a real sshd for each connection. The
// folder has their keys.
func newSSHPair(t testing.TB) (p *pair, dir string) {
	t.Helper()
	sshd, keygen, dir := try.Tool(t, "/usr/sbin/sshd"), try.Tool(t, "ssh-keygen"), t.TempDir()
	if os.Getuid() == 0 {
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil { // for sshd's privilege separation
			t.Skipf("sshd needs this folder: %v", err)
		}
	}
	for _, key := range []string{"host", "mine"} {
		if out, err := exec.Command(keygen, "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, key)).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v, %s", err, out)
		}
	}
	me, err := user.Current()
	must(t, err)
	host, err := os.ReadFile(filepath.Join(dir, "host.pub"))
	must(t, err)
	for name, text := range map[string]string{
		"known":      "b " + string(host),
		"sshd":       "HostKey DIR/host\nAuthorizedKeysFile DIR/mine.pub\nStrictModes no\nUsePAM no\nPermitRootLogin yes\nPasswordAuthentication no\n",
		"ssh_config": "IdentityFile DIR/mine\nIdentitiesOnly yes\nUserKnownHostsFile DIR/known\nGlobalKnownHostsFile /dev/null\nStrictHostKeyChecking yes\nProxyCommand " + sshd + " -i -f DIR/sshd\nUser " + me.Username + "\n",
		"ssh":        "#!/bin/sh\nexec /usr/bin/ssh -F DIR/ssh_config \"$@\"\n",
	} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(strings.ReplaceAll(text, "DIR", dir)), 0o755))
	}
	p = &pair{a: newRunning(t), b: newRunning(t), env: []string{"PATH=" + dir + ":/usr/bin:/bin"}}
	p.a.start(t)
	p.b.start(t)
	return p, dir
}

// Two joysticks play a match through a real ssh. The line is cut in mid-match: keys do nothing until it is
// back, and the match goes on. Whoever holds up gets the HAT back.
func TestLinkSSH(t *testing.T) {
	t.Parallel()
	p, dir := newSSHPair(t)
	p.linked(t, "--points", "1")
	p.alike(t, "")
	p.a.tap(t, keyRight, keyDown) // red's
	p.alike(t, "5")
	p.b.tap(t, keyDown) // yellow's
	p.alike(t, "54")
	config := filepath.Join(dir, "sshd")
	must(t, os.Rename(config, config+".away"))
	for _, pid := range p.processes() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	p.link.says(t, "c4hat status must work first")
	p.a.tap(t, keyLeft, keyDown, keyDown)
	must(t, os.Rename(config+".away", config))
	p.alike(t, "54")
	p.a.tap(t, keyDown)
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
	p, dir := newSSHPair(t)
	for name, says := range map[string]string{"known": "Host key verification failed", "mine": "Permission denied", "sshd": "onnection closed"} {
		path := filepath.Join(dir, name)
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
}
