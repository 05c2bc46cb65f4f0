package bot

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"
)

// Command is a program with its arguments.
type Command struct {
	text string
	path string
	args []string // the first is the program as the user wrote it
}

// ParseCommand finds the program of a command such as "python3 bot.py". Spaces separate its
// arguments, unless the whole text is the name of a file.
func ParseCommand(text string) (Command, error) {
	args := strings.Fields(text)
	if info, err := os.Stat(text); err == nil && info.Mode().IsRegular() {
		args = []string{text}
	}
	if len(args) == 0 {
		return Command{}, errors.New("there is no command: write one, as in ./bot.py")
	}
	c := Command{text: text, args: args}
	path, err := exec.LookPath(args[0])
	if err != nil {
		return Command{}, c.explain(err)
	}
	c.path = path
	return c, nil
}

// String returns the command as the user wrote it.
func (c Command) String() string { return c.text }

// explain returns an error that says why a command cannot be started, and what to do.
func (c Command) explain(err error) error {
	name := c.args[0]
	_, statErr := os.Stat(name)
	here := statErr == nil
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("%s: its first line must name its language, as in #!/usr/bin/env python3", name)
	case errors.Is(err, fs.ErrPermission) && here:
		return fmt.Errorf("%s is not executable: chmod +x %s", name, name)
	case errors.Is(err, exec.ErrDot), errors.Is(err, exec.ErrNotFound) && here && !strings.ContainsAny(name, `/\`):
		return fmt.Errorf("%s is no command; a file in this folder is ./%s", name, name)
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%s: command not found", name)
	case errors.Is(err, fs.ErrNotExist) && here:
		return fmt.Errorf("%s: the program that its first line names is not there (does the line end in CR LF, as on Windows?)", name)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: no such file", name)
	}
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return fmt.Errorf("%s: %w", name, err)
}
