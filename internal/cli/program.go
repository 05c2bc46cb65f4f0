package cli

import (
	"os"
	"os/exec"
	"path/filepath"
)

// Program returns what to type in a shell to run this program: its name if the program is in the
// PATH, else the path with which it was started, such as ./c4hat after make.
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
