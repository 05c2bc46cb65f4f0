package cli

import (
	"os"
	"os/exec"
	"path/filepath"
)

// Program is how a shell calls this program from here: by its name if that finds it, else by
// the path that it was called by, as ./c4hat after make.
func Program() string {
	called := os.Args[0]
	name := filepath.Base(called)
	if name == called {
		return name
	}
	found, err := exec.LookPath(name)
	if err != nil {
		return called
	}
	one, err := os.Stat(found)
	other, err2 := os.Stat(called)
	if err != nil || err2 != nil || !os.SameFile(one, other) {
		return called
	}
	return name
}
