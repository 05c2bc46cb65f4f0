package control

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"unicode"
)

// Errors of a client.
var (
	ErrNoDaemon = errors.New("no c4hat daemon is running")
	ErrDenied   = errors.New("permission denied")
	ErrLost     = errors.New("the c4hat daemon does not answer")
)

// dialFailed is the error of a connection that did not come about. It goes through
// net/http, and comes out of it as it was.
type dialFailed struct{ err error }

func (d *dialFailed) Error() string { return d.err.Error() }
func (d *dialFailed) Unwrap() error { return d.err }

// dialError says what to do about a socket that cannot be connected to.
func dialError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		err = fmt.Errorf("%w: nobody listens on %s: start it (sudo systemctl start c4hat)", ErrNoDaemon, path)
	case errors.Is(err, fs.ErrPermission):
		err = denied(path)
	default:
		err = fmt.Errorf("%w: %s: %w", ErrLost, path, err)
	}
	return &dialFailed{err}
}

// denied tells how to be let in. Where the socket was not given to a group of its
// own, nobody should join that of root.
func denied(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("%s: %w: you may not look into its folder: ask whoever runs the daemon", path, ErrDenied)
	}
	switch of := groupOf(info); of {
	case "", "root", "wheel":
		return fmt.Errorf("%s: %w: the socket is not for group %s: let the daemon's user join it, and restart the daemon", path, ErrDenied, group)
	default:
		return fmt.Errorf("%s: %w: the socket belongs to group %s: sudo usermod -aG %s $USER, then log in again", path, ErrDenied, of, of)
	}
}

// reasonError is the server's reason, of a kind that the caller may know.
type reasonError struct {
	text string
	is   error
}

func (r *reasonError) Error() string { return r.text }
func (r *reasonError) Unwrap() error { return r.is }

// clean makes one line of a text from the other end, fit for a terminal.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, s)
	if len(s) > 500 {
		s = s[:500]
	}
	return s
}
