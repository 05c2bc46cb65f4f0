//go:build machine

package machine

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/e2e/uinput"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/socket"
)

// lineUnit runs the other end of a link in the machine, on the port that the stand-in for ssh
// connects to.
const lineUnit = `[Unit]
After=c4hat.service
StartLimitIntervalSec=0
[Service]
User=` + Player + `
StandardInput=file:/dev/virtio-ports/` + linePort + `
StandardOutput=file:/dev/virtio-ports/` + linePort + `
ExecStart=/usr/bin/c4hat link --answer
Restart=always
RestartSec=1
[Install]
WantedBy=multi-user.target
`

// sshStandIn is what c4hat link runs instead of ssh: it connects its standard streams to the
// machine's port.
func sshStandIn() {
	conn, err := net.Dial("unix", os.Getenv("LINE"))
	if err != nil {
		fmt.Fprintln(os.Stderr, "ssh: no line:", err)
		os.Exit(255)
	}
	go func() {
		_, _ = io.Copy(conn, os.Stdin)
		_ = conn.Close()
	}()
	_, _ = io.Copy(os.Stdout, conn)
	os.Exit(255) // as ssh does when the connection is cut
}

// near is a service on the host, with files instead of a HAT, and its link to a machine.
type near struct {
	*Machine
	client *socket.Client
	chance *rand.Rand
	link   *program
}

// program is a c4hat that runs on the host.
type program struct {
	said  string        // the path of the file with its output
	ended chan struct{} // closed when it has ended
}

// start starts a c4hat on the host.
func (n *near) start(args ...string) *program {
	p := &program{n.path(args[0]), make(chan struct{})}
	cmd := exec.Command(n.path("near/usr/bin/c4hat"), args...)
	cmd.Env = append(os.Environ(), "PATH="+n.path("near"), "LINE="+n.path("line"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	said, err := os.Create(p.said)
	if err != nil {
		n.t.Fatal(err)
	}
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	go func() {
		_ = cmd.Wait()
		_ = said.Close()
		close(p.ended)
	}()
	n.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-p.ended
		if n.t.Failed() {
			n.t.Logf("c4hat %s said: %s", args[0], p.words())
		}
	})
	return p
}

func (p *program) over() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

func (p *program) words() []byte {
	text, _ := os.ReadFile(p.said)
	return text
}

// newNear installs the machine's package on the host too, in a folder, and starts its service
// and the link.
func newNear(t *testing.T, m *Machine) *near {
	t.Helper()
	file, err := findPackage("amd64")
	if err != nil {
		t.Fatal(err)
	}
	if err := command(t.Context(), "dpkg-deb", "-x", file, m.path("near")); err != nil {
		t.Fatal(err)
	}
	me, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		os.Symlink(me, m.path("near/ssh")),
		os.WriteFile(m.path("fb"), []byte(strings.Repeat("\xff", 128)), 0o600),
		syscall.Mkfifo(m.path("stick"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	n := &near{Machine: m, client: socket.Dial(m.path("near/s")), chance: rand.New(rand.NewPCG(25, 3))}
	n.start("daemon", "--config", "/dev/null", "--fb", m.path("fb"), "--stick", m.path("stick"), "--state", m.path("state"), "--socket", m.path("near/s"))
	n.await("the service here", func() bool { _, err := n.client.Status(t.Context()); return err == nil })
	for tries := 1; !n.linked(); tries++ { // if the connection breaks at once, the program exits
		if tries > 60 {
			t.Fatal("c4hat link does not link")
		}
		time.Sleep(time.Second)
		n.link = n.start("link", "--config", "/dev/null", "--socket", m.path("near/s"), "--points", "3", "pi@machine")
	}
	return n
}

// linked waits until both ends are linked, and reports whether that succeeded.
func (n *near) linked() bool {
	if n.link == nil {
		return false
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if bytes.Contains(n.link.words(), []byte("linked with")) {
			return true
		}
		if n.link.over() {
			n.t.Logf("c4hat link said: %s", n.link.words())
			return false
		}
	}
	n.t.Fatalf("c4hat link does not link; it said: %s", n.link.words())
	return false
}

func (n *near) await(what string, ok func() bool) {
	n.t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(50 * time.Millisecond) {
		if n.link != nil && n.link.over() {
			n.t.Fatalf("c4hat link has ended before %s", what)
		}
		if time.Now().After(deadline) {
			here, _ := n.here()
			there, err := n.Status()
			n.t.Fatalf("%s does not come: here %v %v, there %s %s, %v", what, here.Phase, here.Rounds(), there.Phase, moves(there), err)
		}
	}
}

func (n *near) here() (v game.View, err error) {
	s, err := n.client.Status(context.Background())
	if err != nil {
		return v, err
	}
	return s.State.Shown()
}

// both returns the views of the two services.
func (n *near) both() (here, there game.View, err error) {
	here, err = n.here()
	if err != nil {
		return here, there, err
	}
	s, err := n.Status()
	if err != nil {
		return here, there, err
	}
	there, err = s.State.Shown()
	return here, there, err
}

// agree waits until both services wait for the same disc, and on each the seat of the other side is
// taken.
func (n *near) agree() (v game.View) {
	n.t.Helper()
	n.await("the same match on both", func() bool {
		here, there, err := n.both()
		v = here
		return err == nil && here.Phase == game.Aim && there.Phase == game.Aim && slices.Equal(here.Rounds(), there.Rounds()) &&
			here.Seats == [2]game.Seat{{State: game.Open}, {State: game.Taken}} && there.Seats == [2]game.Seat{{State: game.Taken}, {State: game.Open}}
	})
	return v
}

// drop drops a disc at the service whose turn it is, and reports whether this was possible.
func (n *near) drop() bool {
	here, there, err := n.both()
	if err != nil || here.Phase != game.Aim || there.Phase != game.Aim || !slices.Equal(here.Rounds(), there.Rounds()) {
		return false
	}
	position := here.Game.Position()
	if position.Turn() == board.Yellow {
		for range n.chance.IntN(4) {
			_ = n.call("Tap", []uinput.Key{uinput.Left, uinput.Right}[n.chance.IntN(2)], &struct{}{})
		}
		return n.call("Tap", uinput.Middle, &struct{}{}) == nil
	}
	legal := slices.Collect(position.LegalMoves())
	_, err = n.client.Do(context.Background(), game.Disc{Col: legal[n.chance.IntN(len(legal))], Number: here.Discs() + 1})
	return err == nil
}

// The machine at one end of a link loses power in mid-match. After its next boot, both ends have
// the same discs, none of them twice, and at most the disc that was in mid-air on this machine is
// lost.
func TestLinkPowerCuts(t *testing.T) {
	t.Parallel()
	i := image(t)
	if i.kernel.System.Arch != "amd64" {
		t.Skip("the host runs the same package")
	}
	m := Booted(t, i, Power{Volatile: true})
	m.AwaitStatus(anyStatus)
	unit := filepath.Join("/etc/systemd/system", linePort+".service")
	if e := m.Run("sh", "-c", "cat >"+unit+" <<'END' && systemctl enable --now "+linePort+" && sync\n"+lineUnit+"END\n"); e.Status != 0 {
		t.Fatalf("%s%s", e.Out, e.Err)
	}
	n := newNear(t, m)
	n.agree()
	for cut := range (*cuts + 2) / 3 { // each boot takes a minute or two
		before := n.agree().Discs()
		n.await("two discs", func() bool { n.drop(); v, err := n.here(); return err == nil && v.Discs() >= before+2 })
		time.AfterFunc(time.Duration(n.chance.Int64N(int64(4*time.Second))), m.kill)
		for off := false; !off; time.Sleep(50 * time.Millisecond) {
			select {
			case <-m.ended:
				off = true
			default:
				n.drop()
			}
		}
		m.Cut()
		last, err := n.here()
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		n.await("who is away", func() bool { v, err := n.here(); return err == nil && v.Seats[1].State == game.Away })
		if position := last.Game.Position(); position.Turn() == board.Red && last.Phase == game.Aim { // during the cut
			if _, err := n.client.Do(t.Context(), game.Disc{Col: slices.Collect(position.LegalMoves())[0], Number: last.Discs() + 1}); err != nil {
				t.Error(err)
			}
			if last, err = n.here(); err != nil {
				t.Fatal(err)
			}
		}
		m.On(Power{Volatile: cut%2 == 0})
		m.AwaitStatus(anyStatus)
		now := n.agree()
		had, has := strings.Join(last.Rounds(), "/"), strings.Join(now.Rounds(), "/")
		t.Logf("cut %d: here was %s, both have %s, %.0f s after the cut", cut+1, had, has, time.Since(began).Seconds())
		if now.ID != last.ID || !strings.HasPrefix(has, had) {
			t.Errorf("match %s %q became %s %q", last.ID, had, now.ID, has)
		}
	}
}
