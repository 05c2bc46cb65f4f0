package httplimit

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"
)

// Limits of a request, in bytes.
const (
	MaxHead = 8 << 10 // before the body
	MaxBody = 4 << 10
)

// Refusal is an error with the HTTP status to answer with.
type Refusal struct {
	Status int
	Code   string // tells programs why, if the status does not
	Reason string
	Why    error // what errors.Is finds; it may be nil
}

func (r *Refusal) Error() string { return r.Reason }
func (r *Refusal) Unwrap() error { return r.Why }

// Refuse returns a [Refusal].
func Refuse(status int, format string, args ...any) error {
	return &Refusal{Status: status, Reason: fmt.Sprintf(format, args...)}
}

// readBody reads a request's body. If the body is too long or arrives too slowly, the connection
// is closed. It is read even if nobody needs it: only then does net/http notice that the peer has
// closed the connection.
func readBody(w http.ResponseWriter, r *http.Request, patience time.Duration) ([]byte, error) {
	if r.Body == http.NoBody {
		return nil, nil
	}
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(patience)) // every connection here supports deadlines
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	if err == nil {
		_ = rc.SetReadDeadline(time.Time{})
		return body, nil
	}
	w.Header().Set("Connection", "close")
	if errors.As(err, new(*http.MaxBytesError)) {
		return nil, Refuse(http.StatusRequestEntityTooLarge, "the body is longer than %d bytes", MaxBody)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, Refuse(http.StatusRequestTimeout, "the body did not arrive within %v", patience)
	}
	return nil, Refuse(http.StatusBadRequest, "cannot read the request body: %v", err)
}
