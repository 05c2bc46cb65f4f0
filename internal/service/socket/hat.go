package socket

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image/color"
	"net/http"
	"strings"

	"github.com/c4hat/c4hat/internal/front/light"
	"github.com/c4hat/c4hat/internal/game"
)

// Loan is the HAT, lent to a client.
type Loan interface {
	Keys() <-chan game.Press
	Show(light.Frame)      // linear values
	Done() <-chan struct{} // closed when the loan has ended
}

// loan is a loan with the token of its client.
type loan struct {
	Loan
	token string
}

// lend handles POST /v1/hat: the client has the HAT while the answer is open.
func (s *Server) lend(w http.ResponseWriter, r *http.Request, _ []byte) (any, error) {
	if s.Borrow == nil {
		return nil, Refuse(http.StatusNotFound, "there is no HAT")
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	lent, err := s.Borrow(ctx)
	if err != nil {
		return nil, &Refusal{Status: http.StatusConflict, Code: "in-use", Reason: err.Error()}
	}
	l := &loan{lent, rand.Text()}
	s.loan.Store(l)
	events := make(chan []byte)
	go func() {
		defer close(events)
		for {
			select {
			case k := <-l.Keys():
				doc, _ := json.Marshal(pressed{keyNames[k.Key], actionNames[k.Action]})
				select {
				case events <- Event(doc):
				case <-l.Done():
				}
			case <-l.Done():
				return
			}
		}
	}()
	s.stream(ctx, w, Event(fmt.Appendf(nil, `{"token":%q}`, l.token)), events)
	return nil, nil
}

// pressed is a key of the joystick in the JSON of a loan.
type pressed struct {
	Key    string `json:"key"`
	Action string `json:"action"`
}

var (
	keyNames    = map[game.Key]string{game.Left: "left", game.Right: "right", game.Up: "up", game.Down: "down", game.Middle: "middle"}
	actionNames = map[game.Action]string{game.Pressed: "press", game.Held: "hold", game.Released: "release"}
)

// picture is the JSON of a picture: eight rows of eight colours.
type picture struct {
	Frame [8]string `json:"frame"`
}

// draw handles PUT /v1/hat: it shows a picture on the borrowed HAT.
func (s *Server) draw(_ http.ResponseWriter, r *http.Request, body []byte) (any, error) {
	var p picture
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil {
		return nil, Refuse(http.StatusBadRequest, "the body is not valid: %v", err)
	}
	frame, err := p.read()
	if err != nil {
		return nil, Refuse(http.StatusBadRequest, "%v", err)
	}
	l := s.loan.Load()
	if l == nil || l.token != r.Header.Get(TokenHeader) || l.ended() {
		return nil, Refuse(http.StatusConflict, "%s: you do not have the HAT, or not any more: borrow it with POST /v1/hat", TokenHeader)
	}
	l.Show(frame)
	return struct{}{}, nil
}

func (l *loan) ended() bool {
	select {
	case <-l.Done():
		return true
	default:
		return false
	}
}

func (p picture) read() (f light.Frame, err error) {
	wrong := errors.New(`frame: must be eight rows of eight colours, as in "f80000 000000 …"`)
	for y, row := range p.Frame {
		cells := strings.Fields(row)
		if len(cells) != 8 {
			return f, wrong
		}
		for x, cell := range cells {
			rgb, err := hex.DecodeString(cell)
			if err != nil || len(rgb) != 3 {
				return f, wrong
			}
			f[8*y+x] = color.RGBA{R: rgb[0], G: rgb[1], B: rgb[2], A: 255}
		}
	}
	return f, nil
}

// ErrReturned means that the HAT is not borrowed any more.
var ErrReturned = errors.New("the HAT was taken back")

// HAT is the service's HAT, lent to this program. It is a session.Panel.
type HAT struct {
	client *Client
	ctx    context.Context // ends with the loan
	keys   chan game.Press
}

// Borrow borrows the HAT until the context is done.
func (c *Client) Borrow(ctx context.Context) (*HAT, error) {
	body, err := c.open(ctx, http.MethodPost, "/v1/hat", nil)
	if err != nil {
		return nil, err
	}
	ctx, end := context.WithCancelCause(ctx)
	h := &HAT{ctx: ctx, keys: make(chan game.Press)}
	token := make(chan string, 1)
	go func() {
		defer body.Close()
		defer end(ErrReturned)
		lines := bufio.NewScanner(body)
		for lines.Scan() {
			var ev struct {
				pressed
				Token string `json:"token"`
			}
			doc, ok := strings.CutPrefix(lines.Text(), "data: ")
			if !ok || json.Unmarshal([]byte(doc), &ev) != nil {
				continue
			}
			if ev.Token != "" {
				select {
				case token <- ev.Token:
				default: // it has come before
				}
			}
			for key, name := range keyNames {
				for action, called := range actionNames {
					if name == ev.Key && called == ev.Action {
						select {
						case h.keys <- game.Press{Key: key, Action: action}:
						case <-ctx.Done():
						}
					}
				}
			}
		}
	}()
	select {
	case text := <-token:
		h.client = c.Seated(text)
		return h, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Show shows the view's frame.
func (h *HAT) Show(v game.View) error {
	return h.Draw((*light.Colours)(nil).Screen(&v.Frame))
}

// Draw shows a picture of linear values.
func (h *HAT) Draw(f light.Frame) error {
	var p picture
	for y := range p.Frame {
		row := make([]string, 8)
		for x, c := range f[8*y : 8*y+8] {
			row[x] = fmt.Sprintf("%02x%02x%02x", c.R, c.G, c.B)
		}
		p.Frame[y] = strings.Join(row, " ")
	}
	ctx, cancel := context.WithTimeout(h.ctx, patience)
	defer cancel()
	_, err := ask[struct{}](ctx, h.client, maxAnswer, http.MethodPut, "/v1/hat", p)
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
