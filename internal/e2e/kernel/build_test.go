//go:build linux

package kernel

import "testing"

func TestHeaders(t *testing.T) {
	for release, want := range map[string][2]string{
		"6.1.0-56-arm64":       {"/cache/6.1.0-56-arm64/headers/usr/src/linux-headers-6.1.0-56-arm64", "linux-headers-6.1.0-56-common"},
		"6.12.107+deb13-arm64": {"/cache/6.12.107+deb13-arm64/headers/usr/src/linux-headers-6.12.107+deb13-arm64", "linux-headers-6.12.107+deb13-common"},
		"6.1.0-56-amd64":       {"/usr/src/linux-headers-6.1.0-56-amd64", "linux-headers-6.1.0-56-common"},
	} {
		arch, err := archOf(release[len(release)-5:])
		if err != nil {
			t.Fatal(err)
		}
		k := at("/cache", arch, release)
		if got := [2]string{k.headers(), k.commonHeaders()}; got != want {
			t.Errorf("%s: %q, want %q", release, got, want)
		}
	}
	if _, err := archOf("riscv64"); err == nil {
		t.Error("riscv64: no error")
	}
}
