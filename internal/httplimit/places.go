package httplimit

import "sync"

// Places limits how many connections or streams are open at a time; each takes a place. No user may
// take more than half of the places. The last eighth of them is reserved for users who have fewer
// than fewPlaces.
type Places struct {
	Most int

	mu    sync.Mutex
	taken int
	of    map[int]int // by user
}

// fewPlaces are enough to play: one connection for events and one for presses.
const fewPlaces = 2

// Take takes a place if the user may have one. The returned function frees it.
func (p *Places) Take(user int) (leave func(), ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	has, free := p.of[user], p.Most-p.taken
	if free == 0 || has >= p.Share() || free <= p.Most/8 && has >= fewPlaces {
		return nil, false
	}
	if p.of == nil {
		p.of = map[int]int{}
	}
	p.add(user, 1)
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.add(user, -1)
	}), true
}

// Share returns how many places one user may have.
func (p *Places) Share() int { return p.Most / 2 }

// Taken returns how many places are taken.
func (p *Places) Taken() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken
}

func (p *Places) add(user, n int) {
	p.taken += n
	if p.of[user] += n; p.of[user] == 0 {
		delete(p.of, user)
	}
}
