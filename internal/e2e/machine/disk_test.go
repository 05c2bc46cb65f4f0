//go:build machine

package machine

import "testing"

// In a power cut, the disk with a cache loses what was not flushed and keeps the rest;
// the other disk keeps both. Otherwise the power cut tests would prove nothing.
func TestDisks(t *testing.T) {
	t.Parallel()
	m := New(t, image(t))
	m.On(Power{Volatile: true})
	m.Run("sh", "-c", "echo first >/probe; sync")
	m.scribble("lost")
	m.Cut()
	m.On(Power{})
	m.reads("first")
	m.scribble("kept")
	m.Cut()
	m.On(Power{})
	m.reads("kept")
}

// scribble writes a word to the disk's blocks of a file, without a flush.
func (m *Machine) scribble(word string) {
	m.t.Helper()
	e := m.Run("sh", "-c", "echo "+word+" >/tmp/word; dd if=/tmp/word bs=4k count=1 conv=sync of=/tmp/block; dd if=/tmp/block bs=4k of=/probe oflag=direct conv=notrunc,nocreat")
	if e.Status != 0 {
		m.t.Fatal(e.Err)
	}
}

func (m *Machine) reads(want string) {
	m.t.Helper()
	if e := m.Run("head", "-n1", "/probe"); e.Out != want+"\n" {
		m.t.Errorf("after the cut it is %q, want %s", e.Out, want)
	}
}
