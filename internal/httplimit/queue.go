package httplimit

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Queue lets a limited number of requests at a time use something that they share, and at most one
// of each user. Of the users who wait, the one who has used it for the least time goes next, and
// before them one who has not used it lately. So a user who asks without end delays another by a
// single turn.
type Queue struct {
	Most int // at a time

	mu      sync.Mutex
	inside  map[int]bool          // users
	used    map[int]time.Duration // by user, if it is more than least
	least   time.Duration         // what a user counts as having used at least; newcomers, a little less
	waiting []*Turn

	newcomer bool // the last turn was a newcomer's
}

// Turn is a turn in a queue.
type Turn struct {
	q     *Queue
	user  int
	used  time.Duration // by the user before this turn, as it counts
	began time.Time
	let   chan struct{} // closed when the turn begins
}

// turnCost is what a turn costs in addition to its time, so that users take turns even if each takes
// no time.
const turnCost = time.Millisecond

// Enter waits for the user's turn. The caller must call Leave after it.
func (q *Queue) Enter(ctx context.Context, user int) (*Turn, error) {
	t := &Turn{q: q, user: user}
	return t, t.Yield(ctx)
}

// Yield ends the turn, and waits for the user's next one. If it returns an error, there is none.
func (t *Turn) Yield(ctx context.Context) error {
	q := t.q
	q.mu.Lock()
	t.end()
	t.used, t.let = q.least-1, make(chan struct{})
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
		t.let = nil
		return ctx.Err()
	}
	return nil
}

// Leave ends the turn, unless it has already ended.
func (t *Turn) Leave() {
	q := t.q
	q.mu.Lock()
	defer q.mu.Unlock()
	t.end()
	q.next()
	if len(q.inside) == 0 {
		clear(q.used)
	}
}

func (t *Turn) end() {
	if t.let == nil {
		return
	}
	t.let = nil
	q, cost := t.q, time.Since(t.began)+turnCost
	delete(q.inside, t.user)
	if len(q.used) > maxRemembered {
		clear(q.used)
	}
	q.used[t.user] = t.used + cost
}

// before reports whether a turn comes before another one. Every other turn is not a newcomer's, so
// that newcomers without end do not keep the others out.
func (q *Queue) before(t, other *Turn) bool {
	if new := t.used < q.least; q.newcomer && new != (other.used < q.least) {
		return !new
	}
	return t.used < other.used
}

// next lets in those who may enter now.
func (q *Queue) next() {
	for len(q.inside) < q.Most {
		var first *Turn
		for _, t := range q.waiting {
			if used, ok := q.used[t.user]; ok {
				t.used = max(t.used, used)
			}
			if !q.inside[t.user] && (first == nil || q.before(t, first)) {
				first = t
			}
		}
		if first == nil {
			return
		}
		if q.inside == nil {
			q.inside, q.used = map[int]bool{}, map[int]time.Duration{}
		}
		q.waiting = slices.DeleteFunc(q.waiting, func(t *Turn) bool { return t == first })
		q.inside[first.user] = true
		q.newcomer = first.used < q.least
		q.least = max(q.least, first.used)
		first.began = time.Now()
		close(first.let)
	}
}

// maxRemembered is how many users are remembered. If there are more, those who have not made a
// request for a while are forgotten.
const maxRemembered = 1000

// Pace limits how many requests per second each user may make.
type Pace struct {
	Limit rate.Limit
	Burst int // requests that are answered without delay after a pause

	mu sync.Mutex
	of map[int]*rate.Limiter // by user
}

// Forget forgets a user's requests.
func (p *Pace) Forget(user int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.of, user)
}

// Of returns the limiter of a user's requests.
func (p *Pace) Of(user int) *rate.Limiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.of[user]
	if l == nil {
		if p.of == nil {
			p.of = map[int]*rate.Limiter{}
		}
		if len(p.of) >= maxRemembered {
			maps.DeleteFunc(p.of, func(_ int, l *rate.Limiter) bool { return l.Tokens() >= float64(p.Burst) })
		}
		for other := range p.of {
			if len(p.of) < maxRemembered {
				break
			}
			delete(p.of, other) // any one
		}
		l = rate.NewLimiter(p.Limit, p.Burst)
		p.of[user] = l
	}
	return l
}
