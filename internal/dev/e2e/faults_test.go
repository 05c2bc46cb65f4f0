//go:build machine

package e2e

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/dev/e2e/inside"
	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
	"github.com/c4hat/c4hat/internal/dev/e2e/uinput"
	"github.com/c4hat/c4hat/internal/game"
)

// wedge stops the service's process: the watchdog restarts it, and the match resumes.
func wedge(t *testing.T, m *Machine) {
	m.survives("SIGSTOP", "watchdog")
}

// crash kills the service with signals that it cannot handle.
func crash(t *testing.T, m *Machine) {
	m.survives("SIGSEGV", "signal")
	m.survives("SIGKILL", "signal")
}

// survives sends the service a signal during a match. systemd logs the given result and restarts
// the service, with the same match and picture.
func (m *Machine) survives(signal, result string) {
	t := m.t
	t.Helper()
	failures := func() int {
		return strings.Count(m.Run("journalctl", "--boot", "--no-pager", "--unit=c4hat").Out, "Failed with result '"+result+"'")
	}
	before, failed, pid := m.saved(), failures(), m.property("MainPID")
	m.Run("systemctl", "kill", "--kill-whom=main", "--signal="+signal, "c4hat")
	after := m.AwaitStatus(func(s Status) bool { return m.property("MainPID") != pid })
	if got, want := after.moves(), before.moves(); got != want || !after.UnderWay {
		t.Errorf("%s: the match is %q, was %q", signal, got, want)
	}
	m.Mirrors()
	if failures() != failed+1 {
		t.Errorf("%s: systemd did not log the result %s", signal, result)
	}
	m.drop() // the match is playable
}

// drop drops a disc in the cursor's column, or in the next open one to its right, and
// waits until it has landed.
func (m *Machine) drop() {
	m.t.Helper()
	before := m.underWay()
	m.Run("sleep", "0.3") // a key right after the one that started the match drops nothing
	for col := before.Cursor; strings.Count(before.round(), strconv.Itoa(col)) == 6; col = col%7 + 1 {
		m.Tap(uinput.Right)
	}
	m.Tap(uinput.Middle)
	m.AwaitStatus(func(s Status) bool { return len(s.moves()) > len(before.moves()) })
}

// underWay makes sure that a match is under way and a person is to move, and returns the status.
func (m *Machine) underWay() Status {
	m.t.Helper()
	return m.AwaitStatus(func(s Status) bool {
		if s.Phase == "attract" || s.Phase == "menu" {
			m.Tap(uinput.Middle)
			time.Sleep(300 * time.Millisecond) // an earlier second press of the same key is ignored
		}
		return s.Phase == "aim"
	})
}

// anyStatus accepts every status: an answer is enough.
func anyStatus(Status) bool { return true }

// saved does the same as underWay, and then waits until the match is saved.
func (m *Machine) saved() Status {
	m.t.Helper()
	m.underWay()
	return m.AwaitStatus(func(s Status) bool { return s.Match != nil && s.Phase == "aim" && !s.Unsaved })
}

// replug unplugs the LED matrix during a turn and plugs it back in: the picture returns,
// and the service unbinds the kernel's console, whose cursor would overwrite it.
func replug(t *testing.T, m *Machine) {
	m.underWay()
	const driver = "/sys/bus/platform/drivers/" + standin.Module + "/"
	if e := m.Run("sh", "-c", "echo "+standin.Module+" >"+driver+"unbind"); e.Status != 0 {
		t.Fatal(e.Err)
	}
	m.Tap(uinput.Right)
	m.AwaitStatus(func(s Status) bool { return !s.Machine.Matrix })
	if e := m.Run("sh", "-c", "echo "+standin.Module+" >"+driver+"bind"); e.Status != 0 {
		t.Fatal(e.Err)
	}
	m.AwaitStatus(func(s Status) bool { return s.Machine.Matrix })
	time.Sleep(3 * time.Second)
	m.Tap(uinput.Left, uinput.Right) // to overwrite what the console may have drawn
	time.Sleep(3 * time.Second)
	m.Mirrors()
}

// deleted is replug with a driver in which the thread that closes the matrix dies: the
// service uses the next matrix, and stops and starts normally.
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
	m.Shows(game.View{})
	if e := m.Run("systemctl", "start", "c4hat"); e.Status != 0 {
		t.Fatal(e.Err)
	}
	m.Mirrors()
}

// gamma sets a table of zeros in the driver, before the start and during a match: the service restores it.
func gamma(t *testing.T, m *Machine) {
	m.Run("systemctl", "stop", "c4hat")
	m.must("SetGamma", [32]byte{}, &inside.None{})
	m.Run("systemctl", "start", "c4hat")
	m.AwaitStatus(func(s Status) bool { return s.Machine.Matrix })
	m.underWay()
	m.Mirrors()
	m.must("SetGamma", [32]byte{}, &inside.None{})
	m.Mirrors()
}

// flood sends every expensive request at once: the service stays within its memory limit.
func flood(t *testing.T, m *Machine) {
	m.underWay()
	limit, pid := m.property("MemoryMax"), m.property("MainPID")
	if limit == "infinity" {
		t.Error("the service has no memory limit")
	}
	for _, f := range []inside.Flood{
		{Path: "/v1/press", Body: `{"key":"hint"}`, Lasts: *floods},
		{Path: "/v1/match", Body: `{"force":true}`, Lasts: *floods},
	} {
		answers := 0
		if err := m.call("Flood", f, &answers); err != nil {
			t.Fatal(err)
		}
		peak := m.Run("cat", "/sys/fs/cgroup/system.slice/c4hat.service/memory.peak").Out
		t.Logf("%s: %d replies; memory limit %s bytes, peak %s", f.Body, answers, limit, strings.TrimSpace(peak))
		if answers == 0 {
			t.Error("no replies")
		}
	}
	if got := m.property("MainPID"); got != pid {
		t.Errorf("the service restarted: process %s, then %s", pid, got)
	}
	m.Mirrors()
}

// keyboards checks that the service's user may open the joystick but no keyboard, and that
// the group input may still open both.
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

// fill fills the disk: the game continues, and is saved once there is room.
func fill(t *testing.T, m *Machine) {
	m.underWay()
	fillDisk(m)
	m.drop() // its line still fits into the last block of the file
	m.Mirrors()
	m.Run("sh", "-c", "c4hat play --force </dev/null") // a new match needs a new file
	m.drop()
	m.Mirrors()
	if e := m.Run("journalctl", "--boot", "--no-pager", "--unit=c4hat", "--priority=warning"); !strings.Contains(e.Out, "no space left") {
		t.Errorf("no message about the full disk: %s", e.Out)
	}
	emptyDisk(m)
	m.drop()
	m.survives("SIGKILL", "signal")
}

func fillDisk(m *Machine) {
	m.t.Helper()
	m.Run("sh", "-c", "fallocate -l $(($(df --output=avail -B1 / | tail -1) * 2)) /full; dd if=/dev/zero of=/full2 bs=4k; dd if=/dev/zero of=/full3 bs=1")
}

func emptyDisk(m *Machine) {
	m.t.Helper()
	m.Run("rm", "-f", "/full", "/full2", "/full3")
}

// reload changes the configuration: an invalid one is rejected, a valid one takes effect at once.
func reload(t *testing.T, m *Machine) {
	const file = "/etc/c4hat/config.toml"
	const leds = "/sys/kernel/debug/" + standin.Module + "/leds"
	m.underWay()
	m.Mirrors()
	day := m.Run("cat", leds).Out
	configure := func(setting string) inside.Ended {
		m.Run("sh", "-c", "printf '[screen]\n"+setting+"\n' >"+file)
		return m.Run("systemctl", "reload", "c4hat")
	}
	if e := configure("palette = 1"); e.Status == 0 {
		t.Error("a wrong configuration is accepted")
	}
	m.Mirrors()
	if e := configure("palette = \"night\""); e.Status != 0 {
		t.Fatal(e.Err)
	}
	m.Run("sleep", "1")
	if night := m.Run("cat", leds).Out; night == day || strings.Trim(night, "\x00") == "" {
		t.Error("the palette night changes nothing")
	}
	if e := configure(""); e.Status != 0 {
		t.Fatal(e.Err)
	}
	m.Mirrors()
}

// exhaust kills the service until systemd stops restarting it: the LEDs are then dark, even on a
// machine that takes long to start a program. A manual start resumes the match. The limit is lower
// than the unit's, because a slow machine restarts too seldom to reach that one.
func exhaust(t *testing.T, m *Machine) {
	before := m.saved()
	m.sh(`d=/run/systemd/system/c4hat.service.d; mkdir -p $d; cat >$d/limit.conf <<END
[Unit]
StartLimitIntervalSec=1h
StartLimitBurst=2
[Service]
ExecStopPost=
ExecStopPost=-sh -c 'sleep 8; exec c4hat daemon --dark'
END
		systemctl daemon-reload
		until [ "$(systemctl show --value --property=ActiveState c4hat)" = failed ]; do
			systemctl kill --kill-whom=main --signal=SIGKILL c4hat || true # the main process only, not ExecStopPost
			sleep 0.2
		done`)
	m.Shows(game.View{})
	time.Sleep(2 * time.Second)
	m.Shows(game.View{})
	if got := m.property("ActiveState"); got != "failed" {
		t.Errorf("the service is %s", got)
	}
	m.sh("rm -r /run/systemd/system/c4hat.service.d; systemctl daemon-reload; systemctl reset-failed c4hat; systemctl start c4hat")
	if s := m.Mirrors(); s.moves() != before.moves() {
		t.Errorf("the match is %q, was %q", s.moves(), before.moves())
	}
}

func (m *Machine) property(name string) string {
	m.t.Helper()
	return strings.TrimSpace(m.Run("systemctl", "show", "--value", "--property="+name, "c4hat").Out)
}
