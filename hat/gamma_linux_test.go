package hat

import "testing"

// Whatever table another program has set, the matrix has the default one after it is opened
// and after each RestoreGamma.
func TestRestoreGamma(t *testing.T) {
	lowLight := [32]byte{0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 10, 10}
	s := newTree(t)
	path := s.file(t, "x", "/dev/null")
	for _, wrong := range [][32]byte{{}, lowLight, {31: 30}} {
		d := senseHAT()
		d.table = &[32]byte{}
		*d.table = wrong
		s.device.Store(d)
		m, err := s.openMatrix(&Opts{Framebuffer: path})
		must(t, err)
		if *d.table != gamma {
			t.Errorf("opened with %v", *d.table)
		}
		if m.RestoreGamma() {
			t.Error("the default is restored")
		}
		*d.table = wrong
		if !m.RestoreGamma() || *d.table != gamma {
			t.Errorf("restored to %v", *d.table)
		}
		must(t, m.Close())
		*d.table = wrong
		if m.RestoreGamma() || *d.table != wrong {
			t.Error("restored after Close")
		}
	}

	// A 32-bit program on a 64-bit kernel cannot read the table.
	s.device.Store(senseHAT())
	m, err := s.openMatrix(&Opts{Framebuffer: path})
	must(t, err)
	if m.RestoreGamma() {
		t.Error("restored a table that cannot be read")
	}
	must(t, m.WriteFrame(filled(red)))
}
