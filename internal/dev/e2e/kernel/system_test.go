//go:build linux

package kernel

import "testing"

func TestParseSystem(t *testing.T) {
	for name, want := range map[string][2]string{"12": {"bookworm", "amd64"}, "13": {"trixie", "amd64"}, "13-full": {"trixie", "amd64"}, "13-arm64": {"trixie", "arm64"}} {
		s, err := ParseSystem(name)
		if err != nil || s.Name != name || s.suite != want[0] || s.Arch != want[1] {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	if _, err := ParseSystem("12-riscv64"); err == nil {
		t.Error("12-riscv64: no error")
	}
}
