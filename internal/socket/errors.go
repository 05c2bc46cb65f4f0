package socket

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"

	"github.com/c4hat/c4hat/internal/game"
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

// dialFailed marks the error of a failed connection, so that errors.As finds it in the error
// that net/http returns.
type dialFailed struct{ err error }

func (d *dialFailed) Error() string { return d.err.Error() }
func (d *dialFailed) Unwrap() error { return d.err }

// dialError returns an error that says why a connection to the socket failed, and what to do.
func dialError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		err = fmt.Errorf("%w: nothing listens on %s: start it (sudo systemctl start c4hat)", ErrNoDaemon, path)
	case errors.Is(err, fs.ErrPermission):
		err = denied(path)
	default:
		err = fmt.Errorf("%w: %s: %w", ErrLost, path, err)
	}
	return &dialFailed{err}
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

// refusal is the error for a request that the server refused. is has the answer's code; it is nil if
// the game did not refuse the request.
type refusal struct {
	error
	is *game.Refusal
}

func (r refusal) Unwrap() []error {
	if r.is == nil {
		return []error{r.error}
	}
	return []error{r.error, r.is}
}

// clean turns a text from the server into one printable line.
func clean(s string) string { return quote.Clean(s[:min(len(s), 500)]) }
