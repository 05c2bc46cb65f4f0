package session

import (
	"context"
	"iter"
	"sync"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// readers hands each view to everybody who reads views.
type readers struct {
	mu    sync.Mutex
	fresh sync.Cond // somebody can take a view, or nobody ever will again
	taken sync.Cond // somebody has taken a view, or reads no more

	bare  game.View // the last view as the game returned it
	last  game.View // the same with its number and its text; the number is 0 before the first view
	all   map[*reader]struct{}
	ended bool
	err   error // why the game has ended
}

// reader is somebody who reads views. Views that come before one is taken are skipped.
type reader struct {
	number uint64 // of the last view taken
	left   bool
}

func newReaders() *readers {
	h := &readers{all: map[*reader]struct{}{}}
	h.fresh.L, h.taken.L = &h.mu, &h.mu
	return h
}

// join adds a reader until the context is done. The current view waits for it.
func (h *readers) join(ctx context.Context) *reader {
	r := new(reader)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all[r] = struct{}{}
	context.AfterFunc(ctx, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.all, r)
		r.left = !h.ended // the last view can still be taken
		h.fresh.Broadcast()
		h.taken.Signal()
	})
	return r
}

func (h *readers) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.all)
}

// publish numbers a view, lets the readers take it unless it is the last one, and returns it. If wait is
// set, no reader misses a view: publish waits until all readers have taken this one.
func (h *readers) publish(v game.View, wait bool) game.View {
	h.mu.Lock()
	defer h.mu.Unlock()
	if v == h.bare && h.last.Number > 0 {
		return h.last
	}
	h.bare = v
	v = words.With(v)
	v.Number = h.last.Number + 1
	if wait { // for those who have joined since the last view
		h.settle()
	}
	h.last = v
	h.fresh.Broadcast()
	if wait {
		h.settle()
	}
	return v
}

// settle waits until all readers have taken the last view. The caller holds the lock.
func (h *readers) settle() {
	for r := range h.all {
		for !r.left && h.waits(r) {
			h.taken.Wait()
		}
	}
}

// waits reports whether the last view waits for a reader. The caller holds the lock.
func (h *readers) waits(r *reader) bool { return r.number != h.last.Number }

// take waits for a view. It returns false if there is no more, or the reader's context is done.
func (h *readers) take(r *reader) (v game.View, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for !h.waits(r) && !h.ended && !r.left {
		h.fresh.Wait()
	}
	if r.left || !h.waits(r) {
		return v, false
	}
	r.number = h.last.Number
	h.taken.Signal()
	return h.last, true
}

// end lets the readers take the last view, and no more.
func (h *readers) end(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended, h.err = true, err
	h.fresh.Broadcast()
}

// read yields views until the game or the context ends, and then the error.
func (h *readers) read(ctx context.Context, r *reader) iter.Seq2[game.View, error] {
	return func(yield func(game.View, error) bool) {
		for v, ok := h.take(r); ok; v, ok = h.take(r) {
			if !yield(v, nil) {
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
