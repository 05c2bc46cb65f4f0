package socket

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/httplimit"
)

// admit handles POST /v1/admit: the LEDs show a digit until somebody at the HAT answers. The head
// of the HTTP response is sent at once, and the body after the answer. If the client disconnects,
// the LEDs stop showing the digit.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, body []byte) (any, error) {
	digit, err := api.ReadAdmit(body)
	if err != nil {
		return nil, httplimit.Refuse(http.StatusBadRequest, "%v", err)
	}
	queue := s.readers.Join()
	defer s.readers.Leave(queue)
	v, err := s.do(r, game.Admit{Digit: digit}, sourceOf(r))
	if err != nil {
		return nil, err
	}
	id := v.Admission.ID
	w.Header().Set("Content-Type", "application/json")
	rc := http.NewResponseController(w)
	_ = rc.Flush()
	_ = rc.SetWriteDeadline(time.Time{})
	for v.Admission.ID == id && v.Admission.Answer == game.Unanswered {
		select {
		case e, more := <-queue:
			if more {
				if e.view.Admission.ID >= id {
					v = e.view
				}
				continue
			}
		case <-r.Context().Done():
		}
		_, _ = s.Do(httplimit.ConnOf(r).Serving, game.Withdraw{ID: id}, sourceOf(r))
		break
	}
	_ = rc.SetWriteDeadline(time.Now().Add(patience))
	fmt.Fprintf(w, `{"admitted":%t}`+"\n", v.Admission.ID == id && v.Admission.Answer == game.Admitted)
	return nil, nil
}

// Admit shows a digit, 1 to 9, on the LEDs, calls shown, waits for an answer at the HAT, and reports
// whether the browser that shows the same digit was admitted.
func (c *Client) Admit(ctx context.Context, digit int, shown func()) (bool, error) {
	body, err := c.open(ctx, http.MethodPost, "/v1/admit", map[string]int{"digit": digit})
	if err != nil {
		return false, err
	}
	defer body.Close()
	shown()
	var doc struct {
		Admitted bool `json:"admitted"`
	}
	if err := json.NewDecoder(io.LimitReader(body, maxAnswer)).Decode(&doc); err != nil {
		return false, c.lost(ctx, err)
	}
	return doc.Admitted, nil
}
