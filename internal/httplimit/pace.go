package httplimit

import (
	"context"
	"maps"
	"sync"
	"time"

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

// Wait waits until the user's request may be answered.
func (p *Pace) Wait(ctx context.Context, user int) error { return p.limiter(user).Wait(ctx) }

// Allow reports whether the user may make a request now.
func (p *Pace) Allow(user int) bool { return p.limiter(user).Allow() }

// Charge counts more requests of a user, although they may not be allowed yet.
func (p *Pace) Charge(user, requests int) { p.limiter(user).ReserveN(time.Now(), requests) }

// Forget forgets a user's requests.
func (p *Pace) Forget(user int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.of, user)
}

func (p *Pace) limiter(user int) *rate.Limiter {
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
