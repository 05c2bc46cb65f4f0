package control

import (
	"encoding/json"
	"sync"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/server"
	"github.com/c4hat/c4hat/internal/wire"
)

// hub passes views to the readers of events. It never waits for them.
type hub struct {
	mu      sync.Mutex
	last    game.View
	readers server.Readers[*shown]
}

type reader = server.Reader[*shown]

// shown is a view, encoded once for all readers.
type shown struct {
	view  game.View
	event []byte
}

func encode(v game.View) (*shown, error) {
	s, err := wire.NewState(v)
	if err != nil {
		return nil, err
	}
	doc, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	event := make([]byte, 0, len(doc)+8)
	event = append(event, "data: "...)
	event = append(event, doc...)
	event = append(event, "\n\n"...)
	return &shown{v, event}, nil
}

// show passes a view to every reader if the view has changed. Without readers it encodes
// nothing.
func (h *hub) show(v game.View) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if v == h.last {
		return nil
	}
	h.last = v
	if len(h.readers) == 0 {
		return nil
	}
	e, err := encode(v)
	if err != nil {
		return err
	}
	h.readers.Send(e)
	return nil
}

// join adds a reader. The caller must pass it to leave later.
func (h *hub) join() *reader {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.readers.Join()
}

func (h *hub) leave(r *reader) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.readers, r)
}

// after empties the queue and returns the views after v, which the reader already has, or
// all views if v is not in the queue.
func after(r *reader, v game.View) (waits []*shown) {
	for {
		select {
		case e := <-r.Queue:
			if e.view == v {
				waits = waits[:0]
			} else {
				waits = append(waits, e)
			}
		default:
			return waits
		}
	}
}
