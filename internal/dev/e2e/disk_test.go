//go:build machine

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

// A disk with a cache that loses its power loses what was not flushed, and keeps the rest. Otherwise the
// power cut tests would prove nothing.
func TestCachedDisk(t *testing.T) {
	dir := t.TempDir()
	file, socket := filepath.Join(dir, "disk"), filepath.Join(dir, "nbd")
	if err := os.WriteFile(file, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := serveDisk(file, socket, cached)
	if err != nil {
		t.Fatal(err)
	}
	// The program dies before it can flush what it wrote last.
	out, _ := exec.Command("qemu-io", "-f", "raw", "-t", "writeback", "-c", "write -P 1 0 4k", "-c", "flush", "-c", "write -P 2 4k 4k",
		"-c", "read -P 2 4k 4k", "-c", "sigraise 9", "nbd:unix:"+socket).CombinedOutput()
	d.kill()
	d.wait()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := [2]byte{b[0], b[4096]}, [2]byte{1, 0}; got != want {
		t.Errorf("after the cut the blocks are %v, want %v\n%s", got, want, out)
	}
}

// A disk that takes half a second for each read delays the match, but not the first picture.
func TestSlowDisk(t *testing.T) {
	t.Parallel()
	m := Booted(t, image(t), Power{})
	m.drop()
	before := m.saved()
	if e := m.Run("sh", "-c", `set -e; systemctl stop c4hat
		mount /dev/vdb /mnt; cp -a /var/lib/c4hat/. /mnt; chown c4hat:games /mnt; sync
		mount --bind /mnt /var/lib/c4hat; echo 3 >/proc/sys/vm/drop_caches
		systemctl start --no-block c4hat`); e.Status != 0 {
		t.Fatal(e.Out, e.Err)
	}
	v := game.View{Frame: game.Starting()}
	m.Shows(v)
	after := m.AwaitStatus(anyStatus)
	if after.id() != before.id() || after.moves() != before.moves() {
		t.Errorf("the match is %q, was %q", after.moves(), before.moves())
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
