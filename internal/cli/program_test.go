package cli

import (
	"os"
	"path/filepath"
	"testing"
)

// Program returns the program's name only if a shell would find this program by it.
func TestProgram(t *testing.T) {
	called := os.Args[0]
	t.Cleanup(func() { os.Args[0] = called })
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	here := filepath.Join(t.TempDir(), "c4hat")
	installed := filepath.Join(dir, "c4hat")
	for _, tt := range []struct {
		name, called, want string
		install            func() error
	}{
		{"found by its name", "c4hat", "c4hat", func() error { return nil }},
		{"not on the path", here, here, func() error { return os.WriteFile(here, nil, 0o777) }},
		{"another program is on the path", here, here, func() error { return os.WriteFile(installed, nil, 0o777) }},
		{"on the path, started by its full path", installed, "c4hat", func() error { return nil }},
	} {
		if err := tt.install(); err != nil {
			t.Fatal(err)
		}
		os.Args[0] = tt.called
		if got := Program(); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
