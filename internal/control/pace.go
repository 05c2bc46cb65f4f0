package control

import (
	"context"
	"sync"

	"golang.org/x/time/rate"
)

const (
	paceRate  = 100 // see [Options.Rate]
	paceBurst = 100 // requests that are not delayed after a pause
)

// pace limits the requests of each user per second.
type pace struct {
	limit rate.Limit

	mu sync.Mutex
	of map[int]*rate.Limiter // by user
}

// wait waits until a request of the user may be answered.
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
