package bot

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"
)

// Command is a program with its arguments.
type Command struct {
	text string
	path string
	args []string // as the user wrote them: the program and its arguments
}

// ParseCommand finds the program of a command such as "python3 bot.py", which may start with a name for
// people, as in "anna=./bot.py". Spaces separate its arguments, unless the whole command is a file.
func ParseCommand(text string) (Command, error) {
	name, command := CutName(text)
	args := strings.Fields(command)
	if IsFile(command) {
		args = []string{command}
	}
	if len(args) == 0 {
		return Command{}, errors.New("there is no command: write one, as in ./bot.py")
	}
	c := Command{text: cmp.Or(name, command), args: args}
	path, err := exec.LookPath(args[0])
	if err != nil {
		return Command{}, c.explain(err)
	}
	c.path = path
	if runtime.GOOS == "windows" {
		return c, nil
	}
	return c, c.checkScript()
}

// CutName cuts a text at the equals sign after the name. A name consists of letters and digits,
// and after the first character also "_", "." and "-". (Compiling a regular expression would take a
// millisecond at every start of the service.)
func CutName(text string) (name, what string) {
	name, what, ok := strings.Cut(text, "=")
	for i, r := range name {
		ok = ok && (unicode.IsLetter(r) || unicode.IsNumber(r) || i > 0 && strings.ContainsRune("_.-", r))
	}
	if !ok || name == "" {
		return "", text
	}
	return name, what
}

func IsFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

// checkScript returns an error if a text does not begin with the name of its language; the kernel's error
// would not say so, and takes a carriage return for a part of the name.
func (c Command) checkScript() error {
	file, err := os.Open(c.path)
	if err != nil {
		return nil // the start says why
	}
	defer file.Close()
	start := make([]byte, 256)
	n, _ := io.ReadFull(file, start)
	line, _, _ := strings.Cut(string(start[:n]), "\n")
	switch {
	case slices.Contains(start[:n], 0):
		return nil // no text, but a program for the processor, or the start says why
	case strings.HasPrefix(line, "\ufeff"), strings.HasSuffix(line, "\r"):
		return fmt.Errorf(`%[1]s is a Windows text file: sed -i '1s/^\xEF\xBB\xBF//; s/\r$//' '%[1]s'`, c.args[0])
	case !strings.HasPrefix(line, "#!"):
		return fmt.Errorf("%s: its first line must name its language, as in #!/usr/bin/env python3", c.args[0])
	}
	return nil
}

// String returns the command's name, or else the command as the user wrote it.
func (c Command) String() string { return c.text }

// explain returns an error that says why a command cannot be started, and what to do.
func (c Command) explain(err error) error {
	name := c.args[0]
	info, statErr := os.Stat(name)
	here := statErr == nil
	switch {
	case here && info.IsDir():
		return fmt.Errorf("%s is a folder: name a program in it, as in %s", name, filepath.Join(name, "bot.py"))
	case errors.Is(err, fs.ErrPermission) && here:
		return fmt.Errorf("%s is not executable: chmod +x '%[1]s'", name)
	case errors.Is(err, exec.ErrDot), errors.Is(err, exec.ErrNotFound) && here && !strings.ContainsAny(name, `/\`):
		return fmt.Errorf("%s is no command; for the file here, type ./%[1]s", name)
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%s: command not found", name)
	case errors.Is(err, fs.ErrNotExist) && here:
		return fmt.Errorf("%s: its first line names a language that is not on this machine", name)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: no such file", name)
	}
	for inner := err; inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return fmt.Errorf("%s: %w", name, err)
}
