package session

import (
	"context"
	"iter"
	"sync"

	"github.com/c4hat/c4hat/internal/game"
)

// readers hands each view to everybody who reads views.
type readers struct {
	mu    sync.Mutex
	last  game.View // its Number is 0 before the first view
	all   map[*reader]struct{}
	ended bool
	err   error // why the game has ended
}

// reader holds the view that its goroutine has not taken yet. A new view replaces it or, on an
// instant clock, waits until it has been taken and shown.
type reader struct {
	first *picture // the view that was current when the reader joined, until it is taken
	next  chan picture
	gone  <-chan struct{} // closed when the reader reads no more
}

// take waits for a view. It returns false if there is no more, or the context is done.
func (r *reader) take(ctx context.Context) (p picture, ok bool) {
	if r.first != nil {
		p, r.first = *r.first, nil
		return p, true
	}
	select {
	case <-ctx.Done():
		return p, false
	case p, ok = <-r.next:
		return p, ok
	}
}

// picture is what [Panel.Show] is called with.
type picture struct {
	view  game.View
	again bool
}

// join adds a reader until the context is done. The current view waits for it.
func (h *readers) join(ctx context.Context, instant bool) *reader {
	r := &reader{next: make(chan picture, 1), gone: ctx.Done()}
	if instant {
		r.next = make(chan picture)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.last.Number > 0 {
		r.first = &picture{view: h.last}
	}
	if h.ended {
		close(r.next)
		return r
	}
	if h.all == nil {
		h.all = map[*reader]struct{}{}
	}
	h.all[r] = struct{}{}
	context.AfterFunc(ctx, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.all, r)
	})
	return r
}

// publish numbers a view, hands it to the readers unless it is the last one, and returns it. If wait
// is set, no reader misses a view.
func (h *readers) publish(v game.View, again, wait bool) game.View {
	h.mu.Lock()
	v.Number = h.last.Number
	changed := v != h.last || v.Number == 0
	if !changed && !again {
		h.mu.Unlock()
		return v
	}
	if changed {
		v.Number++
	}
	h.last = v
	if !wait {
		defer h.mu.Unlock()
		for r := range h.all {
			r.replace(picture{v, again})
		}
		return v
	}
	all := make([]*reader, 0, len(h.all))
	for r := range h.all {
		all = append(all, r)
	}
	h.mu.Unlock() // a reader that leaves needs the lock
	for _, r := range all {
		select {
		case r.next <- picture{v, again}:
		case <-r.gone:
		}
	}
	return v
}

// replace puts a picture in the place of one that still waits. Only the loop sends, so there is room.
func (r *reader) replace(p picture) {
	select {
	case waits := <-r.next:
		p.again = p.again || waits.again
	default:
	}
	r.next <- p
}

func (h *readers) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.all)
}

// end lets the readers take the last view, and no more.
func (h *readers) end(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended, h.err = true, err
	for r := range h.all {
		close(r.next)
	}
	h.all = nil
}

// read yields views until the game or the context ends, and then the error.
func (h *readers) read(ctx context.Context, r *reader) iter.Seq2[game.View, error] {
	return func(yield func(game.View, error) bool) {
		for p, ok := r.take(ctx); ok; p, ok = r.take(ctx) {
			if !yield(p.view, nil) {
				return
			}
		}
		err := context.Cause(ctx)
		h.mu.Lock()
		if h.ended {
			err = h.err
		}
		h.mu.Unlock()
		if err != nil {
			yield(game.View{}, err)
		}
	}
}
