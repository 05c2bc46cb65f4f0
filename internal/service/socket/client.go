package socket

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"syscall"

	"github.com/c4hat/c4hat/internal/command/quote"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/api"
	"github.com/c4hat/c4hat/internal/session"
)

// Client talks to the service. It is safe for concurrent use.
type Client struct {
	name  string // what errors call the service: the socket's path
	http  *http.Client
	token string // the token of the seat that the client plays, if any
	voice bool   // see [Client.Voice]

	person string // makes the client one source, though an idle connection is closed and another opened
}

// Dial returns a client for the socket at a path. It connects at the first request.
func Dial(path string) *Client {
	return Over(path, transport(func(ctx context.Context) (net.Conn, error) {
		if err := checkPath(path); err != nil {
			return nil, err
		}
		d := net.Dialer{Timeout: patience}
		conn, err := d.DialContext(ctx, "unix", path)
		if err != nil {
			return nil, dialError(path, err)
		}
		return conn, nil
	}))
}

// Connect returns a client for a server in this program. It calls dial for each connection.
func Connect(dial func(context.Context) (net.Conn, error)) *Client {
	return Over("this program", transport(dial))
}

// Over returns a client that sends its requests through way. Its errors call the service name.
func Over(name string, way http.RoundTripper) *Client {
	return &Client{name: name, person: rand.Text()[:maxPerson], http: &http.Client{
		Transport:     way,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func transport(dial func(context.Context) (net.Conn, error)) http.RoundTripper {
	return &http.Transport{
		DialContext:            func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) },
		DisableCompression:     true,
		IdleConnTimeout:        patience / 2, // less than the server's timeout
		ResponseHeaderTimeout:  patience,
		MaxResponseHeaderBytes: MaxHead,
	}
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Status returns what the service is doing.
func (c *Client) Status(ctx context.Context) (Status, error) {
	return ask[Status](ctx, c, maxAnswer, http.MethodGet, "/v1/status", nil)
}

// Seated returns a client that uses the token of a seat; the token may be empty. Its presses are
// those of the seat's holder, and its streams of events keep the seat. It shares c's connections.
func (c *Client) Seated(token string) *Client {
	as := *c
	as.token = token
	return &as
}

// Voice returns a client that reads the states aloud: while one of its streams of events is open, the
// pause screen offers to read the board. Its Views wait for the service, however long that takes: whoever
// listens would not see that it has given up. It shares c's connections.
func (c *Client) Voice() *Client {
	as := *c
	as.voice = true
	return &as
}

// Start starts a match, and takes a seat if the request names one. The error is
// [game.ErrUnderWay] if another match is under way; its text says what to do.
func (c *Client) Start(ctx context.Context, m api.MatchRequest) (api.Seated, error) {
	return ask[api.Seated](ctx, c, maxAnswer, http.MethodPost, "/v1/match", m)
}

// View returns the view that a state from this service describes.
func (c *Client) View(s api.State) (game.View, error) {
	v, err := s.Shown()
	if err != nil {
		return v, c.unexpected(err)
	}
	return v, nil
}

// ask makes a request and decodes the answer, of which it reads the given number of bytes at most.
func ask[A any](ctx context.Context, c *Client, most int64, method, path string, in any) (answer A, err error) {
	body, err := c.open(ctx, method, path, in)
	if err != nil {
		return answer, err
	}
	defer body.Close()
	text, err := io.ReadAll(io.LimitReader(body, most))
	if err != nil {
		return answer, c.lost(ctx, err)
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return *new(A), c.unexpected(err)
	}
	return answer, nil
}

// open makes a request and returns the body of the answer if its status is 2xx.
func (c *Client) open(ctx context.Context, method, path string, in any) (io.ReadCloser, error) {
	var body []byte
	if in != nil {
		body, _ = json.Marshal(in) // no document of a request fails
	}
	r, err := http.NewRequestWithContext(ctx, method, "http://c4hat"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set(PersonHeader, c.person)
	if c.token != "" {
		r.Header.Set(TokenHeader, c.token)
	}
	if c.voice {
		r.Header.Set(VoiceHeader, "yes")
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return nil, c.lost(ctx, err)
	}
	if answer.StatusCode/100 != 2 {
		defer answer.Body.Close()
		return nil, c.refused(answer)
	}
	return answer.Body, nil
}

// RoundTrip passes another client's request to the service.
func (c *Client) RoundTrip(r *http.Request) (*http.Response, error) {
	return c.http.Transport.RoundTrip(r)
}

// refused returns the error that an answer with a status other than 2xx describes.
func (c *Client) refused(answer *http.Response) error {
	var doc struct{ Error, Code string }
	text, err := io.ReadAll(io.LimitReader(answer.Body, MaxBody))
	if err != nil || json.Unmarshal(text, &doc) != nil || doc.Error == "" {
		return c.unexpected(fmt.Errorf("status %d", answer.StatusCode))
	}
	reason := &Refusal{Status: answer.StatusCode, Reason: clean(doc.Error)}
	for _, why := range game.Refusals {
		if why.Code == doc.Code {
			reason.Why = why
		}
	}
	return reason
}

func (c *Client) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if wrapped, ok := errors.AsType[*url.Error](err); ok { // its URL means nothing to the user
		err = wrapped.Err
	}
	if errors.Is(err, session.ErrAway) || errors.Is(err, ErrDenied) {
		return err // of dialError
	}
	return fmt.Errorf("%w: %s: %w", ErrLost, c.name, err)
}

// unexpected returns the error for an answer that no service of this version sends.
func (c *Client) unexpected(err error) error {
	return fmt.Errorf("unexpected answer from %s (%s): restart the service (sudo systemctl restart c4hat)", c.name, clean(err.Error()))
}

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
		return fmt.Errorf("%s: %w: join the socket's group: sudo usermod -aG "+group+" $USER, then log in again", path, ErrDenied)
	}
	return fmt.Errorf("%w: %s: %w", ErrLost, path, err)
}

// clean turns a text from the server into one printable line.
func clean(s string) string { return quote.Clean(s[:min(len(s), 500)]) }
