package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/game"
)

// sshd is a real sshd on the loopback interface. If the test runs as root, each end has its own
// user.
type sshd struct {
	line
	dir         string // contains the keys, and an ssh that uses them
	key         string // the public key
	here, there *user.User
}

// line is the network between two machines. It can be slowed.
type line struct {
	listener net.Listener

	mu    sync.Mutex
	delay time.Duration // of each packet, in each direction
	conns map[net.Conn]bool
	lines int   // connections so far
	bytes int64 // in both directions
	wg    sync.WaitGroup
}

// serve accepts connections until the test ends, and calls carry for each.
func (l *line) serve(t testing.TB, carry func(net.Conn)) {
	l.conns = map[net.Conn]bool{}
	go func() {
		for {
			conn, err := l.listener.Accept()
			if err != nil {
				return
			}
			l.wg.Go(func() {
				l.mu.Lock()
				l.conns[conn] = true
				l.lines++
				l.mu.Unlock()
				carry(conn)
				_ = conn.Close()
				l.mu.Lock()
				delete(l.conns, conn)
				l.mu.Unlock()
			})
		}
	}()
	t.Cleanup(func() {
		_ = l.listener.Close()
		l.cut()
		l.wg.Wait()
	})
}

// relay copies in both directions until both ends are closed.
func (l *line) relay(near net.Conn, in io.WriteCloser, out io.Reader) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.copy(near, out)
		_ = near.Close()
	}()
	l.copy(in, near)
	_ = in.Close()
	<-done
}

// copy passes on packets. Even after the line is cut, what was sent before arrives.
func (l *line) copy(to io.Writer, from io.Reader) {
	type packet struct {
		bytes []byte
		due   time.Time
	}
	packets := make(chan packet, 1<<10)
	go func() {
		defer close(packets)
		for {
			buf := make([]byte, 32<<10)
			n, err := from.Read(buf)
			l.mu.Lock()
			due := time.Now().Add(l.delay)
			l.mu.Unlock()
			packets <- packet{buf[:n], due}
			if err != nil {
				return
			}
		}
	}()
	for p := range packets {
		time.Sleep(time.Until(p.due))
		l.mu.Lock()
		l.bytes += int64(len(p.bytes))
		l.mu.Unlock()
		_, _ = to.Write(p.bytes) // after an error the remaining packets are lost
	}
}

// slow delays every packet from now on.
func (l *line) slow(delay time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.delay = delay
}

// cut ends every connection.
func (l *line) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.conns {
		_ = conn.Close()
	}
}

func (l *line) count() (lines int, bytes int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lines, l.bytes
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
	if err != nil {
		t.Fatal(err)
	}
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

// give makes a user the owner of a file.
func give(t testing.TB, u *user.User, path string) {
	t.Helper()
	if c := credential(t, u); c != nil {
		if err := os.Chown(path, int(c.Uid), int(c.Gid)); err != nil {
			t.Fatal(err)
		}
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
	if err != nil {
		t.Fatal(err)
	}
	s.file(t, "c4hat", string(text), 0o755)
	there := filepath.Join(s.dir, "there") // the other machine's PATH
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
		s.relay(near, far, far)
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

// Two services are linked through a real ssh and sshd. The test logs the traffic on the line.
func TestLinkSSH(t *testing.T) {
	t.Parallel()
	p, s := newSSHPair(t)
	s.allow(t, `restrict,command="c4hat link --answer" `)
	bytes := func() int64 { _, n := s.count(); return n }
	begun := time.Now()
	p.linked(t, "--points", "1")
	t.Logf("linked after %v with %d bytes", time.Since(begun).Round(time.Millisecond), bytes())
	time.Sleep(time.Second) // the cursor has started to pulse
	before := bytes()
	time.Sleep(4 * time.Second)
	t.Logf("%d bytes a second while nobody moves", (bytes()-before)/4)

	moves := ""
	var disc int64
	for i, col := range "1213141" {
		p.both(t, moves)
		p.still(t)
		before := bytes()
		[]*running{p.a, p.b}[i%2].press(t, game.Column{Col: int(col - '1')})
		moves += string(col)
		if i < 6 {
			p.both(t, moves)
			disc += bytes() - before
		}
	}
	t.Logf("a disc: %d bytes", disc/6)
	for _, d := range []*running{p.a, p.b} {
		d.until(t, "the menu", func(v game.View) bool { return v.Phase == game.Menu && v.Game.String() == moves })
	}
	p.quit(t)
}

// TestLinkDelay logs how much later a disc falls on the other HAT, apart from the delay of the line.
func TestLinkDelay(t *testing.T) {
	if testing.Short() {
		t.Skip("only measures")
	}
	t.Parallel()
	for _, delay := range []time.Duration{0, 50 * time.Millisecond, 200 * time.Millisecond} {
		t.Run(delay.String(), func(t *testing.T) { // not in parallel, which would disturb the measurement
			p, s := newSSHPair(t)
			s.slow(delay)
			p.linked(t, "--points", "3")
			p.link.says(t, "linked with") // the services show that both seats are taken earlier, while answers to the link are still on the way
			rng := rand.New(rand.NewPCG(25, 0))
			var late []time.Duration
			for len(late) < *delayed {
				p.taken(t)
				p.agree(t)
				position := p.a.view.Game.Position()
				legal := slices.Collect(position.LegalMoves())
				d := []*running{p.a, p.b}[position.Turn()-board.Red]
				n := p.a.view.Discs()
				fell := make(chan time.Time, 2)
				for _, at := range []*running{p.a, p.b} {
					go func() {
						for v := range at.client.Events(t.Context()) {
							if v.Discs() > n {
								fell <- time.Now()
								return
							}
						}
					}()
				}
				time.Sleep(100 * time.Millisecond) // until both clients wait for an event
				d.tap(t, []uint16{keyLeft, keyRight}[rng.IntN(2)])
				time.Sleep(50 * time.Millisecond) // the cursor's move is on its way, as when people play
				d.press(t, game.Column{Col: legal[rng.IntN(len(legal))]})
				first, second := <-fell, <-fell
				late = append(late, second.Sub(first)-delay)
				if p.shows(t, p.a, "the next turn", func(v game.View) bool { return v.Discs() > n && (v.Phase == game.Aim || !v.UnderWay) }); !p.a.view.UnderWay {
					p.shows(t, p.b, "the end", func(v game.View) bool { return !v.UnderWay })
					if _, err := p.a.client.Start(t.Context(), api.MatchRequest{Points: 3}); err != nil {
						t.Fatal(err)
					}
					p.shows(t, p.b, "the next match", func(v game.View) bool { return v.UnderWay })
				}
			}
			slices.Sort(late)
			load, _ := os.ReadFile("/proc/loadavg")
			t.Logf("%d discs fall later than the line's %v by %v in the middle, %v for 99 of 100, %v at most; load %s", len(late), delay,
				late[len(late)/2].Round(100*time.Microsecond), late[len(late)*99/100].Round(100*time.Microsecond), late[len(late)-1].Round(100*time.Microsecond), load)
			p.quit(t)
		})
	}
}

var delayed = flag.Int("delayed", 3, "how many discs TestLinkDelay drops for each delay")

// If ssh or the other machine rejects the link, the error is one line that says why.
func TestLinkSSHRefused(t *testing.T) {
	t.Parallel()
	p, s := newSSHPair(t)
	for name, says := range map[string]string{"known": "Host key verification failed", "mine": "Permission denied"} {
		path := filepath.Join(s.dir, name)
		if err := os.Rename(path, path+".away"); err != nil {
			t.Fatal(err)
		}
		p.refused(t, name, nil, "b: ssh: ")
		p.refused(t, name, nil, says)
		if err := os.Rename(path+".away", path); err != nil {
			t.Fatal(err)
		}
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
	_ = s.listener.Close()
	p.refused(t, "no sshd", nil, "Connection refused")
}
