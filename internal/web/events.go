package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/httplimit"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/c4hat/c4hat/internal/socket"
)

// events handles GET /v1/events. It first sends an event that says what the browser may do, and
// then the events of the game's socket, with heartbeats in between.
func (s *Server) events(w http.ResponseWriter, r *http.Request, _ []byte) (any, error) {
	b := browserOf(r)
	place := s.streams[b.paired].Take(b.user, func() { _ = b.Close() })
	if place == nil {
		return nil, httplimit.Refuse(http.StatusServiceUnavailable, "too many pages are open: close one, and reload this one")
	}
	defer place.Leave()
	f, closed := s.feed, s.WatchPaired && !b.paired
	if closed {
		f = s.closed
	}
	if token := r.Header.Get(socket.TokenHeader); token != "" && b.paired { // this stream keeps a seat
		select {
		case s.seated <- struct{}{}:
			defer func() { <-s.seated }()
		default:
			return nil, httplimit.Refuse(http.StatusServiceUnavailable, "too many browsers hold a seat")
		}
		f = &feed{client: s.Game.Seated(token)}
	}
	defer s.beats.Use(func() (end func()) {
		ctx, cancel := context.WithCancel(context.Background())
		go s.beat(ctx)
		return cancel
	})()
	defer f.Use(func() (end func()) { return s.begin(f) })()
	queue := f.join()
	defer f.readers.Leave(queue)
	you, _ := json.Marshal(api.You{Press: b.paired, Pair: !b.paired && s.Joystick, Alone: !s.Joystick, Closed: closed, Host: s.host, Levels: levels.Names(), Now: s.now()})
	httplimit.Stream(w, r, patience, httplimit.Event("you", you), queue, func(event []byte) []byte { return event })
	return nil, nil // a browser whose stream ends reconnects
}

// feed passes the game's events to browsers. While any browser uses it, it keeps one stream from the
// game's socket open for all of them. It never waits for a browser.
type feed struct {
	client *socket.Client // nil if its browsers may not watch
	httplimit.Shared

	mu      sync.Mutex
	readers httplimit.Readers[[]byte]
	last    []byte             // the first event for a new reader
	doubt   context.CancelFunc // ends the stream from the game, and begins another one; nil if the game is away
}

// begin starts the stream from the game. beat and suspect know the feed until end is called.
func (s *Server) begin(f *feed) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.feeds[f] = true
	ctx, cancel := context.WithCancel(context.Background())
	if f.client != nil {
		go f.run(ctx)
	}
	return func() {
		cancel()
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.feeds, f)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.last, f.doubt = nil, nil
	}
}

// join adds a reader. The reader's first event is the game's current state, or the error if the
// game cannot be reached.
func (f *feed) join() chan []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	queue := f.readers.Join()
	if f.last != nil {
		queue <- f.last
	}
	return queue
}

// run publishes the game's events until the context is done. While the game cannot be reached, it
// retries after pauses that grow from 1 to 8 seconds.
func (f *feed) run(ctx context.Context) {
	for pause := time.Second; ; pause = min(2*pause, 8*time.Second) {
		try, doubt := context.WithCancel(ctx)
		err := error(socket.ErrLost)
		for doc, failed := range f.client.Documents(try) {
			if err = failed; err != nil || try.Err() != nil {
				break
			}
			pause = time.Second
			f.publish(ctx, httplimit.Event("", doc), doubt)
		}
		doubt()
		away := `{}`
		if errors.Is(err, game.ErrNoSeat) {
			away = `{"seat":"lost"}`
		}
		f.publish(ctx, httplimit.Event("away", []byte(away)), nil)
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
	}
}

// beat sends heartbeats to all browsers. After each it asks whether the game still answers: a
// process that is stopped closes no stream.
func (s *Server) beat(ctx context.Context) {
	ticks := time.NewTicker(heartbeat)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		if !s.tell("alive", s.now()) {
			continue
		}
		limit, cancel := context.WithTimeout(ctx, heartbeat)
		if _, _ = s.Game.Status(limit); limit.Err() != nil && ctx.Err() == nil {
			s.suspect()
		}
		cancel()
	}
}

// tell sends an event with a number to all browsers. here reports whether any feed has the game's events.
func (s *Server) tell(kind string, number int64) (here bool) {
	event := httplimit.Event(kind, strconv.AppendInt(nil, number, 10))
	s.mu.Lock()
	defer s.mu.Unlock()
	for f := range s.feeds {
		f.mu.Lock()
		f.readers.Send(event)
		here = here || f.doubt != nil
		f.mu.Unlock()
	}
	return here
}

// suspect makes every feed say that the game is away until it sends something again.
func (s *Server) suspect() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for f := range s.feeds {
		f.mu.Lock()
		if f.doubt != nil {
			f.doubt()
		}
		f.mu.Unlock()
	}
}

// publish passes an event to every reader, and to later ones as their first.
func (f *feed) publish(ctx context.Context, event []byte, doubt context.CancelFunc) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if ctx.Err() == nil { // otherwise this run is over, and another one may have begun
		f.last, f.doubt = event, doubt
		f.readers.Send(event)
	}
}
