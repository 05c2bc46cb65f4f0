package socket

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"

	"github.com/c4hat/c4hat/internal/quote"
	"github.com/c4hat/c4hat/internal/session"
)

// Errors of [Client].
var (
	ErrNoDaemon error = away("the c4hat service is not running")
	ErrDenied         = errors.New("permission denied")
	ErrLost     error = away("the c4hat service does not answer")
)

// away is the text of an error that is also a [session.ErrAway].
type away string

func (a away) Error() string        { return string(a) }
func (a away) Is(target error) bool { return target == session.ErrAway }

// dialError returns an error that says why a connection to the socket failed, and what to do.
func dialError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("%w: nothing listens on %s: start it (sudo systemctl start c4hat)", ErrNoDaemon, path)
	case errors.Is(err, fs.ErrPermission):
		return denied(path)
	}
	return fmt.Errorf("%w: %s: %w", ErrLost, path, err)
}

// denied returns an error that says how to get access. It never advises joining root's group.
func denied(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%s: %w: you may not enter its folder: ask the administrator", path, ErrDenied)
	}
	switch of := groupOf(info); of {
	case "", "root", "wheel":
		return fmt.Errorf("%s: %w: the socket does not belong to group %s: add the service's user to it, and restart the service", path, ErrDenied, group)
	default:
		return fmt.Errorf("%s: %w: the socket belongs to group %s: sudo usermod -aG %s $USER, then log in again", path, ErrDenied, of, of)
	}
}

// groupOf returns the name of a file's group, or its number if it has no name. It returns "" if
// files have no groups here.
func groupOf(info fs.FileInfo) string {
	gid := gidOf(info)
	if gid < 0 {
		return ""
	}
	id := strconv.Itoa(gid)
	if g, err := user.LookupGroupId(id); err == nil {
		return g.Name
	}
	return id
}

// clean turns a text from the server into one printable line.
func clean(s string) string { return quote.Clean(s[:min(len(s), 500)]) }
