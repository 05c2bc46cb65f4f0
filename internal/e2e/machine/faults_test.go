//go:build machine

package machine

import (
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/control"
	"github.com/c4hat/c4hat/internal/e2e/machine/inside"
	"github.com/c4hat/c4hat/internal/e2e/standin"
	"github.com/c4hat/c4hat/internal/e2e/uinput"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/light"
)

// wedge stops the daemon where it stands: the watchdog has it restarted, and the match
// goes on.
func wedge(t *testing.T, m *Machine) {
	m.survives("SIGSTOP", "watchdog")
}

// crash kills it in the ways that leave no time for anything.
func crash(t *testing.T, m *Machine) {
	m.survives("SIGSEGV", "signal")
	m.survives("SIGKILL", "signal")
}

// survives sends the daemon a signal in the middle of a match; it is restarted, for the
// reason given, with the match and the picture that there were.
func (m *Machine) survives(signal, result string) {
	t := m.t
	t.Helper()
	failures := func() int {
		return strings.Count(m.Run("journalctl", "--boot", "--no-pager", "--unit=c4hat").Out, "Failed with result '"+result+"'")
	}
	before, failed, pid := m.kept(), failures(), m.property("MainPID")
	m.Run("systemctl", "kill", "--kill-whom=main", "--signal="+signal, "c4hat")
	after := m.AwaitStatus(2*time.Minute, func(s control.Status) bool { return m.property("MainPID") != pid })
	if got, want := moves(after), moves(before); got != want || !after.UnderWay {
		t.Errorf("%s: the match is %q, was %q", signal, got, want)
	}
	m.Mirrors()
	if failures() != failed+1 {
		t.Errorf("%s: systemd has not seen a failure of the kind %s", signal, result)
	}
	m.drop() // it plays
}

// drop drops a disc, in the column of the cursor or the next to its right that is free,
// and waits until it is there.
func (m *Machine) drop() {
	m.t.Helper()
	before := m.underWay()
	for col := before.Cursor - 1; !before.Match.Game.Position().Legal(col); col = (col + 1) % 7 {
		m.Tap(uinput.Right)
	}
	m.Tap(uinput.Middle)
	m.AwaitStatus(time.Minute, func(s control.Status) bool { return len(moves(s)) > len(moves(before)) })
}

// underWay sees to it that a match is, with somebody to choose a column, and says how it
// stands.
func (m *Machine) underWay() control.Status {
	m.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(300 * time.Millisecond) {
		s, err := m.Status()
		switch {
		case err != nil:
			m.t.Fatal(err)
		case s.Phase == game.Aim.String():
			return s
		case s.Phase == game.Attract.String(), s.Phase == game.Menu.String():
			m.Tap(uinput.Middle)
		case time.Now().After(deadline):
			m.t.Fatalf("no turn comes: %+v", s)
		}
	}
}

// kept is underWay, with the match on the disk as it stands.
func (m *Machine) kept() control.Status {
	m.t.Helper()
	s := m.underWay()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		file := m.Run("cat", "/var/lib/c4hat/match.json").Out
		if strings.Contains(file, `"`+s.Match.ID+`"`) && strings.Contains(file, `"`+s.Match.Game.String()+`"`) {
			return s
		}
		if time.Now().After(deadline) {
			m.t.Fatalf("after %s the disk has %s", moves(s), file)
		}
	}
}

// replug pulls the LED matrix off, in the middle of a turn, and puts it back: the
// picture is there again, and the kernel's console is kept off it, whose cursor would
// wipe it.
func replug(t *testing.T, m *Machine) {
	m.underWay()
	const driver = "/sys/bus/platform/drivers/" + standin.Module + "/"
	if e := m.Run("sh", "-c", "echo "+standin.Module+" >"+driver+"unbind"); e.Status != 0 {
		t.Fatal(e.Err)
	}
	m.Tap(uinput.Right)
	m.AwaitStatus(time.Minute, func(s control.Status) bool { return !s.Machine.Matrix })
	if e := m.Run("sh", "-c", "echo "+standin.Module+" >"+driver+"bind"); e.Status != 0 {
		t.Fatal(e.Err)
	}
	m.AwaitStatus(time.Minute, func(s control.Status) bool { return s.Machine.Matrix })
	time.Sleep(3 * time.Second)
	m.Tap(uinput.Left, uinput.Right) // what the console may have drawn before is drawn over
	time.Sleep(3 * time.Second)
	m.Mirrors()
}

// deleted is replug with a driver in which the thread that closes the matrix dies: the next
// matrix is used all the same, and the service ends and starts as ever.
func deleted(t *testing.T, m *Machine) {
	m.must("SetFatalClose", true, &inside.None{})
	for range 2 {
		replug(t, m)
	}
	m.must("SetFatalClose", false, &inside.None{})
	if e := m.Run("systemctl", "stop", "c4hat"); e.Status != 0 {
		t.Fatal(e.Err)
	}
	if got := m.property("Result"); got != "success" {
		t.Errorf("the service ended with %s", got)
	}
	m.Shows(light.Frame{})
	if e := m.Run("systemctl", "start", "c4hat"); e.Status != 0 {
		t.Fatal(e.Err)
	}
	m.Mirrors()
}

// gamma leaves a table of zeros in the driver, before the start and in a match: the doctor
// names it while it is wrong, and the picture is right again by itself.
func gamma(t *testing.T, m *Machine) {
	named := func() bool {
		e := m.Run("c4hat", "doctor")
		return strings.Contains(e.Out, "BAD  gamma: ") && e.Status == 1
	}
	m.Run("systemctl", "stop", "c4hat")
	m.must("SetGamma", [32]byte{}, &inside.None{})
	if !named() {
		t.Error("the doctor finds nothing wrong before the start")
	}
	m.Run("systemctl", "start", "c4hat")
	m.AwaitStatus(time.Minute, func(s control.Status) bool { return s.Machine.Matrix })
	m.underWay()
	m.Mirrors()
	for tries := 1; ; tries++ { // it may be right again before the doctor has looked
		m.must("SetGamma", [32]byte{}, &inside.None{})
		if named() {
			break
		}
		if tries == 10 {
			t.Error("the doctor finds nothing wrong in a match")
			break
		}
	}
	m.Mirrors()
	if e := m.Run("c4hat", "doctor"); !strings.Contains(e.Out, "good gamma: ") {
		t.Errorf("the doctor says\n%s", e.Out)
	}
}

// flood asks for all that the socket has to give: the service stays within its memory.
func flood(t *testing.T, m *Machine) {
	m.underWay()
	limit, pid := m.property("MemoryMax"), m.property("MainPID")
	if limit == "infinity" {
		t.Error("there is no limit")
	}
	for _, f := range []inside.Flood{
		{Path: "/v1/press", Body: `{"key":"hint"}`, Lasts: 20 * time.Second},
		{Path: "/v1/match", Body: `{"force":true}`, Lasts: 20 * time.Second},
	} {
		answers := 0
		if err := m.call("Flood", f, &answers, f.Lasts+answersWithin); err != nil {
			t.Fatal(err)
		}
		peak := m.Run("cat", "/sys/fs/cgroup/system.slice/c4hat.service/memory.peak").Out
		t.Logf("%s: %d answers; of %s bytes at most %s", f.Body, answers, limit, strings.TrimSpace(peak))
		if answers == 0 {
			t.Error("nothing was answered")
		}
	}
	if got := m.property("MainPID"); got != pid {
		t.Errorf("it was restarted: process %s, then %s", pid, got)
	}
	m.Mirrors()
}

// keyboards are shut to the service's user, and the joystick is open: to the group input
// as ever, too.
func keyboards(t *testing.T, m *Machine) {
	groups := m.Run("sh", "-c", "sed -n 's/^Groups:[[:space:]]*//p' /proc/"+m.property("MainPID")+"/status").Out
	as := "--reuid=c4hat --regid=games --groups=" + strings.Join(strings.Fields(groups), ",")
	e := m.Run("sh", "-c", `cd /sys/class/input; for event in event*; do
		setpriv `+as+` sh -c ": <>/dev/input/$event" 2>/dev/null && may=yes || may=no
		echo "$may $(stat -c %U:%G:%a /dev/input/$event) $(cat $event/device/name)"
	done`)
	const stick = "yes c4hat:input:660 Raspberry Pi Sense HAT Joystick"
	if strings.Count(e.Out, "yes ") != 1 || !strings.Contains(e.Out, stick) || !strings.Contains(e.Out, "no root:input:660 ") {
		t.Errorf("the service may open, of\n%s%swant %s alone", e.Out, e.Err, stick)
	}
}

// fill leaves no room on the disk: the game goes on, and is kept again when there is.
func fill(t *testing.T, m *Machine) {
	m.underWay()
	m.Run("sh", "-c", "fallocate -l $(($(df --output=avail -B1 / | tail -1) * 2)) /full; dd if=/dev/zero of=/full2 bs=4k; dd if=/dev/zero of=/full3 bs=1")
	m.drop()
	m.Mirrors()
	if e := m.Run("journalctl", "--boot", "--no-pager", "--unit=c4hat", "--priority=warning"); !strings.Contains(e.Out, "no space left") {
		t.Errorf("nobody is told: %s", e.Out)
	}
	m.Run("rm", "-f", "/full", "/full2", "/full3")
	m.drop()
	m.survives("SIGKILL", "signal")
}

// upgrade installs the package again, in the middle of a match, which goes on.
func upgrade(t *testing.T, m *Machine) {
	before := m.kept()
	pid := m.property("MainPID")
	if e := m.Run("dpkg", "-i", "/c4hat.deb"); e.Status != 0 {
		t.Fatal(e.Out, e.Err)
	}
	after := m.AwaitStatus(time.Minute, func(s control.Status) bool { return m.property("MainPID") != pid })
	if moves(after) != moves(before) {
		t.Errorf("the match is %q, was %q", moves(after), moves(before))
	}
	m.Mirrors()
}

// reload changes the configuration: a wrong one is refused, a good one shows at once.
func reload(t *testing.T, m *Machine) {
	const file = "/etc/c4hat/config.toml"
	before := m.underWay()
	m.Mirrors()
	configure := func(setting string) inside.Ended {
		m.Run("sh", "-c", "printf '[screen]\n"+setting+"\n' >"+file)
		return m.Run("systemctl", "reload", "c4hat")
	}
	if e := configure("palette = 1"); e.Status == 0 {
		t.Error("a wrong configuration is taken")
	}
	m.Mirrors()
	if e := configure("palette = \"night\""); e.Status != 0 {
		t.Fatal(e.Err)
	}
	v, err := before.State.View()
	if err != nil {
		t.Fatal(err)
	}
	m.Shows(light.New(light.Night, light.Full).Frame(&v.Frame))
	if e := configure(""); e.Status != 0 {
		t.Fatal(e.Err)
	}
	m.Mirrors()
}

// exhaust kills it again and again, until systemd gives up: dark LEDs are left. Who
// starts the service by hand has the match.
func exhaust(t *testing.T, m *Machine) {
	before := m.kept()
	for deadline := time.Now().Add(2 * time.Minute); m.property("ActiveState") != "failed"; time.Sleep(100 * time.Millisecond) {
		m.Run("systemctl", "kill", "--kill-whom=main", "--signal=SIGKILL", "c4hat") // not what makes it dark
		if time.Now().After(deadline) {
			t.Fatal("it is restarted for ever")
		}
	}
	m.Shows(light.Frame{})
	time.Sleep(5 * time.Second)
	m.Shows(light.Frame{})
	if got := m.property("ActiveState"); got != "failed" {
		t.Errorf("the service is %s", got)
	}
	m.Run("systemctl", "reset-failed", "c4hat")
	if e := m.Run("systemctl", "start", "c4hat"); e.Status != 0 {
		t.Fatalf("start: %s", e.Err)
	}
	if s := m.Mirrors(); moves(s) != moves(before) {
		t.Errorf("the match is %q, was %q", moves(s), moves(before))
	}
}

func (m *Machine) property(name string) string {
	m.t.Helper()
	return strings.TrimSpace(m.Run("systemctl", "show", "--value", "--property="+name, "c4hat").Out)
}
