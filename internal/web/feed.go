package web

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/httplimit"
	"github.com/c4hat/c4hat/internal/socket"
)

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
