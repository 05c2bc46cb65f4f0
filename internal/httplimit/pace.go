package httplimit

import (
	"maps"
	"sync"

	"golang.org/x/time/rate"
)

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
