package link

import (
	"context"
	"testing"

	"github.com/c4hat/c4hat/internal/game"
)

// A request that is under way when its stream is replaced, as at the end of a match, is still
// answered: otherwise there would never be another one. One of a lost line is not.
func TestRequestOutlivesStream(t *testing.T) {
	l := &Link{ctx: t.Context(), events: make(chan func())}
	s := &side{link: l, leave: func() {}, token: "old"}
	answered := false
	s.request(func(context.Context) error { return game.ErrNoSeat }, func(error) { answered = true })
	s.follow()
	s.token = "new" // the seat was taken again meanwhile
	(<-l.events)()
	if !answered || s.busy || s.token != "new" {
		t.Errorf("answered %v, busy %v, token %q", answered, s.busy, s.token)
	}

	answered = false
	s.request(func(context.Context) error { return game.ErrNoSeat }, func(error) { answered = true })
	s.down()
	s.busy = true // with a request on the next line
	(<-l.events)()
	if answered || !s.busy || s.token != "new" {
		t.Errorf("of a lost line: answered %v, busy %v, token %q", answered, s.busy, s.token)
	}
}
