package socket

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"iter"
	"net/http"

	"github.com/c4hat/c4hat/internal/front/hatpanel"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/api"
)

// Loan is the HAT, lent to a client.
type Loan interface {
	Keys() <-chan game.Press
	Show(hatpanel.Frame)   // linear values
	Done() <-chan struct{} // closed when the loan has ended
}

// loan is a loan with the token of its client.
type loan struct {
	Loan
	token string
}

// lent is the first event of the stream of a loan. The others are the keys of the joystick, as the body of a press.
type lent struct {
	Token string `json:"token"`
}

// lend handles POST /v1/hat: the client has the HAT while the answer is open.
func (s *Server) lend(w http.ResponseWriter, r *http.Request, _ []byte) (any, error) {
	if s.Borrow == nil {
		return nil, Refuse(http.StatusNotFound, "there is no HAT")
	}
	borrowed, err := s.Borrow(r.Context())
	if err != nil {
		return nil, &Refusal{Status: http.StatusConflict, Code: "in-use", Reason: err.Error()}
	}
	l := &loan{borrowed, rand.Text()}
	s.loan.Store(l)
	defer s.loan.CompareAndSwap(l, nil)
	sendEvents(w, r, s.beat, func(ctx context.Context, send func([]byte) bool) {
		for text := eventOf(encode(lent{l.token})); send(text); {
			select {
			case k := <-l.Keys():
				_, press := api.RequestFor(k)
				text = eventOf(encode(press))
			case <-l.Done():
				return
			case <-ctx.Done():
				return
			}
		}
	})
	return nil, nil
}

// draw handles PUT /v1/hat: it shows a picture on the borrowed HAT.
func (s *Server) draw(_ http.ResponseWriter, r *http.Request, body []byte) (any, error) {
	var picture struct {
		Frame api.Picture `json:"frame"`
	}
	if err := api.Decode(body, &picture); err != nil {
		return nil, err
	}
	frame, err := picture.Frame.Frame()
	if err != nil {
		return nil, err
	}
	l := s.loan.Load()
	if l == nil || l.token != r.Header.Get(TokenHeader) {
		return nil, Refuse(http.StatusConflict, "%s: you do not have the HAT, or not any more: borrow it with POST /v1/hat", TokenHeader)
	}
	l.Show(frame)
	return struct{}{}, nil
}

// ErrReturned means that the HAT is not borrowed any more.
var ErrReturned = errors.New("the HAT was taken back")

// HAT is the service's HAT, lent to this program. It is a [session.Panel].
type HAT struct {
	client *Client
	ctx    context.Context // ends with the loan
	keys   chan game.Event
}

// Borrow borrows the HAT until the context is done.
func (c *Client) Borrow(ctx context.Context) (*HAT, error) {
	ctx, end := context.WithCancelCause(ctx)
	next, stop := iter.Pull2(stream[json.RawMessage](ctx, c, "POST /v1/hat"))
	var first lent
	doc, err, _ := next()
	if err == nil {
		first, err = decode[lent](c, doc)
	}
	if err != nil {
		stop()
		end(err)
		return nil, err
	}
	h := &HAT{client: c.seated(first.Token), ctx: ctx, keys: make(chan game.Event)}
	go func() {
		defer stop()
		for doc, err, _ := next(); err == nil; doc, err, _ = next() {
			key, err := api.Event("POST /v1/press", doc, game.Setup{})
			if err != nil {
				continue
			}
			select {
			case h.keys <- key:
			case <-ctx.Done():
			}
		}
		end(ErrReturned)
	}()
	return h, nil
}

// Show shows the view's frame.
func (h *HAT) Show(v game.View) error {
	return h.Draw((*hatpanel.Colours)(nil).Screen(&v.Frame))
}

// Draw shows a picture of linear values.
func (h *HAT) Draw(f hatpanel.Frame) error {
	ctx, cancel := context.WithTimeout(h.ctx, patience)
	defer cancel()
	_, err := ask[struct{}](ctx, h.client, "PUT /v1/hat", map[string]any{"frame": api.NewPicture(f)})
	if h.ctx.Err() != nil {
		return context.Cause(h.ctx)
	}
	return err
}

// Next waits for the joystick's next event.
func (h *HAT) Next(ctx context.Context) (game.Event, error) {
	select {
	case k := <-h.keys:
		return k, nil
	case <-h.ctx.Done():
		return nil, context.Cause(h.ctx)
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
