package control

import (
	"context"
	"sync"

	"golang.org/x/time/rate"
)

const (
	paceRate  = 100 // see [Options.Rate]
	paceBurst = 100 // requests that may come at once after a while
)

// pace keeps every user to a number of requests a second.
type pace struct {
	limit rate.Limit

	mu sync.Mutex
	of map[int]*rate.Limiter // a user
}

// wait waits until the user may make a request.
func (p *pace) wait(ctx context.Context, user int) error {
	p.mu.Lock()
	l := p.of[user]
	if l == nil {
		if p.of == nil {
			p.of = map[int]*rate.Limiter{}
		}
		l = rate.NewLimiter(p.limit, paceBurst)
		p.of[user] = l
	}
	p.mu.Unlock()
	return l.Wait(ctx)
}
