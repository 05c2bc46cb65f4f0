package httplimit

import (
	"context"
	"maps"
	"sync"

	"golang.org/x/time/rate"
)

// maxPaced is how many users are remembered. If there are more, those who have not made a request
// for a while are forgotten.
const maxPaced = 1000

// Pace limits how many requests per second each user may make.
type Pace struct {
	Limit rate.Limit
	Burst int // requests that are answered without delay after a pause

	mu sync.Mutex
	of map[int]*rate.Limiter // by user
}

// Wait waits until the user's request may be answered.
func (p *Pace) Wait(ctx context.Context, user int) error {
	p.mu.Lock()
	l := p.of[user]
	if l == nil {
		if p.of == nil {
			p.of = map[int]*rate.Limiter{}
		}
		if len(p.of) >= maxPaced {
			maps.DeleteFunc(p.of, func(_ int, l *rate.Limiter) bool { return l.Tokens() >= float64(p.Burst) })
		}
		l = rate.NewLimiter(p.Limit, p.Burst)
		p.of[user] = l
	}
	p.mu.Unlock()
	return l.Wait(ctx)
}
