//go:build machine

package machine

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/socket"
)

// moments are the steps of a boot that the test times, each with the command that prints its time
// in microseconds since the kernel's start.
var moments = []struct{ name, query string }{
	{"file systems", unitTime("local-fs.target", "ActiveEnter")},
	{started, unitTime("c4hat.service", "ExecMainStart")},
	{"matrix found by udev", "udevadm info --query=property --property=USEC_INITIALIZED --value /sys/class/graphics/fb0"},
	{"joystick found by udev", unitTime("dev-sensehat.device", "ActiveEnter")},
	{firstFrame, "echo $(($(cat /sys/kernel/debug/sensehat_standin/first_ns) / 1000))"},
	{sysinit, unitTime("sysinit.target", "ActiveEnter")},
	{"ready", unitTime("c4hat.service", "ActiveEnter")},
	{"basic.target", unitTime("basic.target", "ActiveEnter")},
	{"login prompt", unitTime("serial-getty@ttyS0.service", "ExecMainStart")},
	{"multi-user.target", unitTime("multi-user.target", "ActiveEnter")},
}

const (
	started    = "exec"
	firstFrame = "first frame"
	sysinit    = "sysinit.target"
)

func unitTime(unit, moment string) string {
	return "systemctl show --value --property=" + moment + "TimestampMonotonic " + unit
}

// TestBoot boots several times, if -boots says so, and logs when each step happens. TestPowerCuts does
// the same after its reboots.
func TestBoot(t *testing.T) {
	if *boots == 0 {
		t.Skip("needs -boots; make e2e-long has it")
	}
	t.Parallel()
	m := New(t, image(t))
	line := timeline{}
	for range *boots {
		m.On(Power{})
		m.AwaitStatus(func(s socket.Status) bool { return s.Machine.Joystick }) // udev is later than the boot's end
		line.add(m)
		m.Run("systemctl", "poweroff")
		m.Ends()
	}
	line.log(t)
}

// timeline holds the moments of several boots.
type timeline map[string][]time.Duration

// add waits for the end of a boot and adds its moments. The service must wait for no target: neither
// for the network nor for the login prompt.
func (l timeline) add(m *Machine) {
	m.t.Helper()
	for m.Run("systemctl", "is-system-running", "--wait").Out == "" {
		m.t.Fatal("the boot does not end")
	}
	at := map[string]time.Duration{}
	for _, moment := range moments {
		us, err := strconv.ParseInt(strings.TrimSpace(m.Run("sh", "-c", moment.query).Out), 10, 64)
		if err != nil {
			m.t.Fatalf("%s: %v", moment.name, err)
		}
		at[moment.name] = time.Duration(us) * time.Microsecond
		l[moment.name] = append(l[moment.name], at[moment.name])
	}
	if at[firstFrame] == 0 || at[started] > at[sysinit] {
		m.t.Errorf("the service starts at %v, after sysinit.target at %v; first frame at %v", at[started], at[sysinit], at[firstFrame])
	}
	for unit := range strings.FieldsSeq(m.property("After")) {
		if strings.HasSuffix(unit, ".target") || strings.Contains(unit, "getty") || strings.Contains(unit, "udev") {
			m.t.Errorf("the service waits for %s", unit)
		}
	}
	m.t.Logf("first frame %v after sysinit.target", at[firstFrame]-at[sysinit])
}

func (l timeline) log(t *testing.T) {
	for _, moment := range moments {
		times := l[moment.name]
		if len(times) == 0 {
			continue
		}
		slices.Sort(times)
		t.Logf("%-24s min %.2f s, median %.2f s, max %.2f s of %d", moment.name, times[0].Seconds(), times[len(times)/2].Seconds(), times[len(times)-1].Seconds(), len(times))
	}
}
