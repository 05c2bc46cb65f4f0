package httplimit

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"
)

// Queue lets a limited number of requests at a time use something that they share, and at most one
// of each user. Of the users who wait, the one who has used it for the least time goes next, so a
// user who asks without end delays another by a single turn.
type Queue struct {
	Most int // at a time

	mu      sync.Mutex
	inside  map[int]bool          // users
	used    map[int]time.Duration // by user, if it is more than least
	least   time.Duration         // what a newcomer counts as having used
	waiting []*turn
}

type turn struct {
	user  int
	used  time.Duration // by the user, as it counts here
	began time.Time
	let   chan struct{} // closed when it is this one's turn
}

// turnCost is what a turn costs in addition to its time, so that users take turns even if each takes
// no time.
const turnCost = time.Millisecond

// Enter waits for the user's turn. The caller must call leave after it.
func (q *Queue) Enter(ctx context.Context, user int) (leave func(), err error) {
	q.mu.Lock()
	t := &turn{user: user, used: q.least, let: make(chan struct{})}
	q.waiting = append(q.waiting, t)
	q.next()
	q.mu.Unlock()
	select {
	case <-t.let:
	case <-ctx.Done():
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if i := slices.Index(q.waiting, t); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
		return nil, ctx.Err()
	}
	return sync.OnceFunc(func() { q.leave(t) }), nil
}

// next lets in those who may enter now.
func (q *Queue) next() {
	for len(q.inside) < q.Most {
		var first *turn
		for _, t := range q.waiting {
			t.used = max(t.used, q.used[t.user])
			if !q.inside[t.user] && (first == nil || t.used < first.used) {
				first = t
			}
		}
		if first == nil {
			return
		}
		if q.inside == nil {
			q.inside, q.used = map[int]bool{}, map[int]time.Duration{}
		}
		q.waiting = slices.DeleteFunc(q.waiting, func(t *turn) bool { return t == first })
		q.inside[first.user] = true
		q.least = max(q.least, first.used)
		first.began = time.Now()
		close(first.let)
	}
}

func (q *Queue) leave(t *turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.inside, t.user)
	cost := time.Since(t.began) + turnCost
	q.used[t.user] = t.used + cost
	q.least += cost / time.Duration(1+len(q.waiting)) // so that newcomers without end let the others in too
	q.next()
	if len(q.inside) == 0 {
		clear(q.used)
	} else if len(q.used) > maxRemembered {
		maps.DeleteFunc(q.used, func(_ int, used time.Duration) bool { return used <= q.least })
	}
}
