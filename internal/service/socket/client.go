package socket

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/service/api"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/words"
)

// Client talks to the service. It is a [session.Session]. It is safe for concurrent use.
type Client struct {
	name   string // what errors call the service: the socket's path
	http   *http.Client
	token  string // the token of the seat that the client plays, if any
	voice  bool   // reads the states aloud
	person string // makes the client one source, though an idle connection is closed and another opened
}

// Dial returns a client for the socket at a path. It connects at the first request.
func Dial(path string) *Client {
	return Connect(path, func(ctx context.Context, _, _ string) (net.Conn, error) {
		d := net.Dialer{Timeout: patience}
		conn, err := d.DialContext(ctx, "unix", path)
		if err != nil {
			return nil, dialError(path, err)
		}
		return conn, nil
	})
}

// Connect returns a client that calls dial for each connection. Its errors call the service name.
func Connect(name string, dial func(ctx context.Context, network, address string) (net.Conn, error)) *Client {
	return &Client{name: name, person: rand.Text(), http: &http.Client{Transport: &http.Transport{
		DialContext:           dial,
		DisableCompression:    true,
		IdleConnTimeout:       patience / 2, // less than the server's timeout
		ResponseHeaderTimeout: patience,
	}}}
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// seated returns a client that uses the token of a seat or of the borrowed HAT. Its presses are those of the
// seat's holder, and its streams of events keep the seat. It shares c's connections.
func (c *Client) seated(token string) *Client {
	as := *c
	as.token = token
	return &as
}

// Voice returns a client that reads the states aloud: while one of its streams of events is open, the
// pause screen offers to read the board. It shares c's connections.
func (c *Client) Voice() *Client {
	as := *c
	as.voice = true
	return &as
}

// Status returns what the service is doing.
func (c *Client) Status(ctx context.Context) (Status, error) {
	return c.do(ctx, game.Tick{})
}

// Take takes the seat of a player of the match under way.
func (c *Client) Take(ctx context.Context, ev game.Take) (session.Session, error) {
	state, err := c.do(ctx, ev)
	if err != nil {
		return nil, err
	}
	return c.seated(state.Token), nil
}

// Do sends an event to the service, as [session.Session.Do] does. Only the holder of a seat
// sends movements of the mouse, because they would move the cursor of the player at the HAT. The view
// is empty if an event is not sent.
func (c *Client) Do(ctx context.Context, ev game.Event) (game.View, error) {
	if _, mouse := ev.(game.Point); mouse && c.token == "" {
		return game.View{}, nil
	}
	state, err := c.do(ctx, ev)
	return state.View, err
}

// do sends an event. The state is empty if it is not sent.
func (c *Client) do(ctx context.Context, ev game.Event) (state api.State, err error) {
	request, body := api.RequestFor(ev)
	if request == "" {
		return state, nil
	}
	return ask[api.State](ctx, c, request, body)
}

// retryTime is how long a client waits before it tries again to reach a lost service.
const retryTime = time.Second

// Views yields the service's views, as [session.Session.Views] does. If the service cannot be reached, it tries again
// each second, until the context is done.
func (c *Client) Views(ctx context.Context) iter.Seq2[game.View, error] {
	return func(yield func(game.View, error) bool) {
		var last game.View
		for {
			var end error
			for s, err := range stream[api.State](ctx, c, "GET /v1/events") {
				if end = err; err != nil {
					break
				}
				if last = s.View; !yield(last, nil) {
					return
				}
			}
			if !errors.Is(end, session.ErrAway) {
				yield(last, end)
				return
			}
			if last.Phase != "" {
				if last.Lost = true; !yield(last, nil) {
					return
				}
			}
			select {
			case <-ctx.Done():
				yield(last, context.Cause(ctx))
				return
			case <-time.After(retryTime):
			}
		}
	}
}

// Past is the answer to GET /v1/matches.
type Past struct {
	Matches []*match.Finished `json:"matches"` // the oldest first; nil if the service cannot read it
}

// Past returns the given number of last finished matches, or all of them if last is 0.
func (c *Client) Past(ctx context.Context, last int) (Past, error) {
	request := "GET /v1/matches"
	if last > 0 {
		request += fmt.Sprintf("?last=%d", min(last, maxLast))
	}
	return ask[Past](ctx, c, request, nil)
}

// All yields all matches, with a [match.Damage] for each damaged one. Their numbers count from the first here.
func (p Past) All(yield func(match.Finished, error) bool) {
	for i, m := range p.Matches {
		var err error
		if m == nil {
			m, err = new(match.Finished), match.Damage{Number: i + 1, Err: errors.New("its line in the service's history is damaged")}
		}
		if !yield(*m, err) {
			return
		}
	}
}

// Admit shows a digit, 1 to 9, on the LEDs, waits for an answer at the HAT, and reports
// whether the browser that shows the same digit was admitted.
func (c *Client) Admit(ctx context.Context, digit int) (bool, error) {
	answer, err := ask[struct{ Admitted bool }](ctx, c, "POST /v1/admit", map[string]int{"digit": digit})
	return answer.Admitted, err
}

// RoundTrip passes another client's request to the service.
func (c *Client) RoundTrip(r *http.Request) (*http.Response, error) {
	return c.http.Transport.RoundTrip(r)
}

// ask makes a request, such as "GET /v1/status", and decodes the answer.
func ask[A any](ctx context.Context, c *Client, request string, in any) (answer A, err error) {
	body, err := c.open(ctx, request, in)
	if err != nil {
		return answer, err
	}
	defer body.Close()
	text, err := io.ReadAll(io.LimitReader(body, maxAnswer))
	if err != nil {
		return answer, c.lost(ctx, err)
	}
	return decode[A](c, text)
}

// decode reads a document from the service.
func decode[A any](c *Client, text []byte) (doc A, err error) {
	if err := json.Unmarshal(text, &doc); err != nil {
		return *new(A), c.unexpected(err)
	}
	return doc, nil
}

// stream makes a request and yields the events in the answer, until the context is done or the connection is
// lost. The last element is the error.
func stream[E any](ctx context.Context, c *Client, request string) iter.Seq2[E, error] {
	return func(yield func(E, error) bool) {
		var none E
		body, err := c.open(ctx, request, nil)
		if err != nil {
			yield(none, err)
			return
		}
		defer body.Close()
		lines := bufio.NewScanner(body)
		lines.Buffer(nil, maxEvent)
		for lines.Scan() {
			if doc, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:")); ok {
				if event, err := decode[E](c, doc); !yield(event, err) || err != nil {
					return
				}
			}
		}
		if err = lines.Err(); errors.Is(err, bufio.ErrTooLong) {
			yield(none, c.unexpected(err))
			return
		}
		yield(none, c.lost(ctx, cmp.Or(err, errors.New("it closed the connection"))))
	}
}

// open makes a request and returns the body of the answer if its status is 2xx.
func (c *Client) open(ctx context.Context, request string, in any) (io.ReadCloser, error) {
	method, path, _ := strings.Cut(request, " ")
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

// refused returns the error that an answer with a status other than 2xx describes.
func (c *Client) refused(answer *http.Response) error {
	var doc struct{ Error, Code string }
	text, err := io.ReadAll(io.LimitReader(answer.Body, MaxBody))
	if err != nil || json.Unmarshal(text, &doc) != nil || clean(doc.Error) == "" {
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

// clean turns a text from the server into one printable line.
func clean(s string) string { return words.Clean(s[:min(len(s), 500)]) }
