package socket

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/api"
)

// admit handles POST /v1/admit: the LEDs show a digit until somebody at the HAT answers. The head
// of the HTTP response is sent at once, and the body after the answer. If the client disconnects,
// the LEDs stop showing the digit.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, body []byte) (any, error) {
	digit, err := api.ReadAdmit(body)
	if err != nil {
		return nil, Refuse(http.StatusBadRequest, "%v", err)
	}
	v, err := s.do(r, game.Admit{Digit: digit}, sourceOf(r))
	if err != nil {
		return nil, err
	}
	id, serving := v.Admission.ID, ConnOf(r).Serving
	w.Header().Set("Content-Type", "application/json")
	_ = http.NewResponseController(w).Flush()
	for next, err := range s.As(sourceOf(r)).Views(r.Context()) {
		if err != nil {
			break
		}
		if v = next; v.Admission.ID != id || v.Admission.Answer != game.Unanswered {
			break
		}
	}
	_, _ = s.As(sourceOf(r)).Do(serving, game.Withdraw{ID: id}) // in case the client has gone
	fmt.Fprintf(w, `{"admitted":%t}`+"\n", v.Admission.ID == id && v.Admission.Answer == game.Admitted)
	return nil, nil
}

// Admit shows a digit, 1 to 9, on the LEDs, waits for an answer at the HAT, and reports
// whether the browser that shows the same digit was admitted.
func (c *Client) Admit(ctx context.Context, digit int) (bool, error) {
	body, err := c.open(ctx, http.MethodPost, "/v1/admit", map[string]int{"digit": digit})
	if err != nil {
		return false, err
	}
	defer body.Close()
	var doc struct {
		Admitted bool `json:"admitted"`
	}
	if err := json.NewDecoder(io.LimitReader(body, maxAnswer)).Decode(&doc); err != nil {
		return false, c.lost(ctx, err)
	}
	return doc.Admitted, nil
}
