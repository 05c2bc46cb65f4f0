//go:build machine

package machine

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
)

// In a power cut, the disk with a cache loses what was not flushed and keeps the rest; the disk
// without a cache keeps everything. Otherwise the power cut tests would prove nothing.
func TestDisks(t *testing.T) {
	t.Parallel()
	m := Booted(t, image(t), Power{Volatile: true})
	for tries := 3; ; tries-- { // a busy machine may flush the disk's cache before the cut
		m.Run("sh", "-c", "echo first >/probe; sync")
		m.scribble("lost")
		m.Cut()
		m.On(Power{})
		if tries == 1 || m.probe() == "first" {
			break
		}
		m.Cut()
		m.On(Power{Volatile: true})
	}
	m.reads("first")
	m.scribble("kept")
	m.Cut()
	m.On(Power{Slow: true})
	m.reads("kept")
	slowDown(t, m)
}

// scribble writes a word to the file /probe, directly to its blocks on the disk, without a flush.
func (m *Machine) scribble(word string) {
	m.t.Helper()
	e := m.Run("sh", "-c", "echo "+word+" >/tmp/word; dd if=/tmp/word bs=4k count=1 conv=sync of=/tmp/block; dd if=/tmp/block bs=4k of=/probe oflag=direct conv=notrunc,nocreat")
	if e.Status != 0 {
		m.t.Fatal(e.Err)
	}
}

// probe returns the word in the file.
func (m *Machine) probe() string {
	m.t.Helper()
	return strings.TrimSuffix(m.Run("head", "-n1", "/probe").Out, "\n")
}

func (m *Machine) reads(want string) {
	m.t.Helper()
	if got := m.probe(); got != want {
		m.t.Errorf("after the cut it is %q, want %s", got, want)
	}
}

// slowDown gives the service a disk that takes half a second for each read: this delays the match, but
// not the first picture.
func slowDown(t *testing.T, m *Machine) {
	t.Helper()
	m.drop()
	before := m.saved()
	if e := m.Run("sh", "-c", `set -e; systemctl stop c4hat
		mount /dev/vdb /mnt; cp -a /var/lib/c4hat/. /mnt; chown c4hat:games /mnt; sync
		mount --bind /mnt /var/lib/c4hat; echo 3 >/proc/sys/vm/drop_caches
		systemctl start --no-block c4hat`); e.Status != 0 {
		t.Fatal(e.Out, e.Err)
	}
	v := game.View{Frame: game.Starting()}
	m.Shows(gametest.Colours(v))
	after := m.AwaitStatus(anyStatus)
	if id(after) != id(before) || moves(after) != moves(before) {
		t.Errorf("the match is %q, was %q", moves(after), moves(before))
	}
	m.Mirrors()
}

// writes counts the bytes written to the disk, by the service and in total.
type writes struct{ service, disk int64 }

// written returns what the service has written since its start, and what was written in total since
// the boot.
func (m *Machine) written() (w writes) {
	m.t.Helper()
	e := m.Run("sh", "-c", "sync; sed -n 's/^write_bytes: //p' /proc/"+m.property("MainPID")+"/io; awk '{print $7 * 512}' /sys/block/vda/stat")
	if _, err := fmt.Sscan(e.Out, &w.service, &w.disk); err != nil {
		m.t.Fatalf("%q: %v", e.Out, err)
	}
	return w
}

// countWrites counts the bytes that a match writes.
func countWrites(t *testing.T, m *Machine) {
	before := m.written()
	playMatch(t, m)
	after := m.written()
	t.Logf("a match writes %d bytes, and the disk with its file system's and the log's %d", after.service-before.service, after.disk-before.disk)
}

// idle checks that nothing is written in the menu, during the demo, and after the LEDs went dark.
func idle(t *testing.T, m *Machine) {
	before := m.written()
	time.Sleep(20 * time.Second)
	after := m.written()
	if after.service != before.service {
		t.Errorf("the idle service has written %d bytes", after.service-before.service)
	}
	t.Logf("in 20 s the disk has written %d bytes", after.disk-before.disk)
}
