package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/httplimit"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/c4hat/c4hat/internal/socket"
)

// events handles GET /v1/events. It first sends an event that says what the browser may do, and
// then the events of the game's socket. While nothing changes, it sends only the keep-alive.
func (s *Server) events(w http.ResponseWriter, r *http.Request, _ []byte) error {
	b := browserOf(r)
	place := s.streams[b.paired].Take(b.user, func() { _ = b.Close() })
	if place == nil {
		return httplimit.Refuse(http.StatusServiceUnavailable, "too many pages are open: close one, and reload this one")
	}
	defer place.Leave()
	f := s.feed
	if token := r.Header.Get(socket.TokenHeader); token != "" && b.paired { // this stream keeps a seat
		select {
		case s.seated <- struct{}{}:
			defer func() { <-s.seated }()
		default:
			return httplimit.Refuse(http.StatusServiceUnavailable, "too many browsers hold a seat")
		}
		f = &feed{client: s.Game.Seated(token)}
	}
	reader := f.join()
	defer f.leave(reader)

	stream := httplimit.NewStream(w, patience)
	first, _ := json.Marshal(api.You{Press: b.paired, Pair: !b.paired && s.Joystick, Alone: !s.Joystick, Host: s.host, Levels: levels.Names()})
	if stream.Send(httplimit.Event("you", first)) == nil {
		httplimit.Follow(r.Context(), stream, reader, func(event []byte) []byte { return event })
	}
	return nil // a browser whose stream ends reconnects
}

// feed passes the game's events to browsers. While any browser is connected, it keeps one stream
// from the game's socket open for all of them. It never waits for a browser.
type feed struct {
	client *socket.Client

	mu      sync.Mutex
	readers httplimit.Readers[[]byte]
	last    []byte // the first event for a new reader
	stop    context.CancelFunc
}

// join adds a reader. The reader's first event is the game's current state, or the error if the
// game cannot be reached.
func (f *feed) join() *httplimit.Reader[[]byte] {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.readers.Count() == 0 {
		var ctx context.Context
		ctx, f.stop = context.WithCancel(context.Background())
		f.last = nil
		go f.run(ctx)
	}
	r := f.readers.Join()
	if f.last != nil {
		r.Queue <- f.last
	}
	return r
}

func (f *feed) leave(r *httplimit.Reader[[]byte]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.readers.Leave(r)
	if f.readers.Count() == 0 {
		f.stop()
	}
}

// run publishes the game's events until the context is done. While the game cannot be reached, it
// retries after pauses that grow from 1 to 8 seconds.
func (f *feed) run(ctx context.Context) {
	var alive *time.Timer
	alive = time.AfterFunc(keepAlive, func() {
		f.publish(ctx, httplimit.Event("alive", nil), false)
		if ctx.Err() == nil {
			alive.Reset(keepAlive)
		}
	})
	defer alive.Stop()
	for pause := time.Second; ; pause = min(2*pause, 8*time.Second) {
		for doc, err := range f.client.Documents(ctx) {
			if ctx.Err() != nil {
				return
			}
			alive.Reset(keepAlive)
			if err != nil {
				f.publish(ctx, awayEvent(err), true)
				break
			}
			pause = time.Second
			f.publish(ctx, httplimit.Event("", doc), true)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

func awayEvent(err error) []byte {
	doc := map[string]any{"error": err.Error()}
	if errors.Is(err, game.ErrNoSeat) {
		doc["seat"] = "lost"
	}
	text, _ := json.Marshal(doc)
	return httplimit.Event("away", text)
}

// publish passes an event to every reader. If stays is true, later readers get it as their first
// event.
func (f *feed) publish(ctx context.Context, event []byte, stays bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ctx.Err() != nil { // this run is over, and another one may have begun
		return
	}
	if stays {
		f.last = event
	}
	f.readers.Send(event)
	if f.readers.Count() == 0 {
		f.stop()
	}
}
