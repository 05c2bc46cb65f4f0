package link

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/socket"
)

func to(c *socket.Client) *line { return &line{client: c, end: func() {}} }

var nowhere = socket.Dial("/nowhere/s")

// If a stream is replaced while a request is under way, as at the end of a match, the answer is
// still used: otherwise the side would stay busy forever. An answer from a lost line is ignored.
func TestRequestOutlivesStream(t *testing.T) {
	l := &Link{ctx: t.Context(), life: t.Context(), events: make(chan func())}
	s := &side{link: l, leave: func() {}, token: "old", line: to(nowhere)}
	answered := false
	s.request(&s.busy, s.token, func(context.Context, *socket.Client) error { return game.ErrNoSeat }, func(error) { answered = true })
	s.leave()
	s.token = "new" // the seat was taken again during the request
	(<-l.events)()
	if !answered || s.busy || s.token != "new" {
		t.Errorf("answered %v, busy %v, token %q", answered, s.busy, s.token)
	}

	answered = false
	s.request(&s.busy, s.token, func(context.Context, *socket.Client) error { return game.ErrNoSeat }, func(error) { answered = true })
	s.down()
	s.busy = true // with a request on the next line
	(<-l.events)()
	if answered || !s.busy || s.token != "new" {
		t.Errorf("of a lost line: answered %v, busy %v, token %q", answered, s.busy, s.token)
	}
}

// The service is told that the other side is away only once the seat's stream delivers views: a
// stream that starts later tells the service that the holder is there.
func TestAwayAfterStream(t *testing.T) {
	client := service(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	l := &Link{ctx: t.Context(), life: t.Context(), events: make(chan func())}
	s := &side{link: l, leave: func() {}, line: to(client), up: true, away: true, token: "seat"}
	s.follow()
	if s.tell(true); s.telling {
		t.Error("said before the stream delivers")
	}
	s.show(game.View{})
	if s.tell(true); !s.telling {
		t.Error("not said when it delivers")
	}
	s.leave()
}

// If the link ends while it is taking a seat, it gives up the seat.
func TestEndWhileTaking(t *testing.T) {
	left := make(chan string, 1)
	client := service(t, func(_ http.ResponseWriter, r *http.Request) { left <- r.Header.Get(socket.TokenHeader) })
	l := &Link{events: make(chan func()), done: make(chan struct{})}
	l.ctx, l.cancel = context.WithCancelCause(t.Context())
	l.life, l.kill = context.WithCancel(t.Context())
	l.here, l.there = side{link: l, leave: func() {}, line: to(client)}, side{link: l, leave: func() {}}
	answered := make(chan struct{})
	l.here.request(&l.here.busy, "", func(ctx context.Context, _ *socket.Client) error {
		<-answered
		return ctx.Err()
	}, func(err error) {
		if err == nil {
			l.here.token = "seat"
		}
	})
	l.cancel(nil)
	close(answered)
	l.end()
	select {
	case token := <-left:
		if token != "seat" {
			t.Errorf("left %q", token)
		}
	default:
		t.Error("the seat is still taken")
	}
}

// Discs that a side has shown and then lost in a power cut are dropped there again, however many
// a slow disk had not saved. Discs that are missing although they were saved were taken back by
// hand.
func TestLostDiscs(t *testing.T) {
	const all = "44344"
	for _, c := range []struct {
		saved, shown, has int // discs
		want              string
	}{
		{5, 5, 5, ""},
		{4, 4, 4, "was dropped by hand"}, // the side's own disc, which it never showed
		{4, 5, 4, ""},
		{1, 5, 1, ""},
		{2, 5, 1, "were taken back"},
		{0, 4, 0, "was dropped by hand"},
	} {
		s := &side{name: "on b", player: board.Red, match: "r"}
		show := func(n int, unsaved bool) {
			r := record(t, board.Standard, 2, board.FirstLoser, []string{all[:n]})
			s.show(game.View{Phase: game.Aim, Record: r, Unsaved: unsaved})
		}
		for n := range c.shown + 1 {
			show(n, n > c.saved)
		}
		show(c.has, false)
		missing, _, err := compare(record(t, board.Standard, 2, board.FirstLoser, []string{all}), s.view.Record)
		must(t, err)
		if err = s.may(missing); err == nil && c.want != "" || err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%d of %d discs saved, %d left: %v, want %q", c.saved, c.shown, c.has, err, c.want)
		}
	}
}

// A message that was lost with its line is sent again over the next line.
func TestTellAfterLostLine(t *testing.T) {
	told := make(chan struct{}, 2)
	client := service(t, func(_ http.ResponseWriter, r *http.Request) {
		told <- struct{}{}
		<-r.Context().Done()
	})
	l := &Link{ctx: t.Context(), life: t.Context(), events: make(chan func())}
	s := &side{link: l, leave: func() {}, line: to(client), token: "seat"}
	for n := range 2 {
		s.show(game.View{})
		s.tell(true)
		select {
		case <-told:
		case <-time.After(5 * time.Minute):
			t.Fatalf("not told on line %d", n+1)
		}
		s.down()
		s.line = to(client)
	}
}
