package httplimit

import (
	"slices"
	"sync"
	"time"
)

// Places limits how many connections or streams are open at a time; each takes a place.
type Places struct {
	Most int // in all
	Each int // for a user

	// When all places are taken, a newcomer gets the oldest place of the user who has most, if it
	// was taken at least Hold ago and its holder can be evicted. Users with up to fewPlaces count
	// as having equally many.
	Hold time.Duration

	mu    sync.Mutex
	taken []*Place // the oldest first
	of    map[int]int
}

const (
	// fewPlaces are enough to load the page in a browser.
	fewPlaces = 6

	// playPlaces are enough to play: one connection for events and one for presses.
	playPlaces = 2
)

// Place is a taken place.
type Place struct {
	all   *Places
	user  int
	since time.Time
	evict func() // nil if the holder cannot be evicted
}

// Take takes a place, or returns nil if the user may not have one. evict is called if the place is
// given to somebody else; it must not wait. Users whose places cannot be evicted, because evict is
// nil, leave the last eighth of all places to users who have fewer than playPlaces.
func (p *Places) Take(user int, evict func()) *Place {
	p.mu.Lock()
	defer p.mu.Unlock()
	has, free := p.of[user], p.Most-len(p.taken)
	switch {
	case has >= p.Each, evict == nil && (free == 0 || free <= p.Most/8 && has >= playPlaces):
		return nil
	case free == 0 && !p.makeRoom(has):
		return nil
	}
	if p.of == nil {
		p.of = map[int]int{}
	}
	place := &Place{p, user, time.Now(), evict}
	p.taken = append(p.taken, place)
	p.of[user]++
	return place
}

// makeRoom evicts the holder of a place in favour of a user who has some already.
func (p *Places) makeRoom(has int) bool {
	most := max(has+1, fewPlaces)
	var victim *Place
	for _, place := range p.taken {
		if place.evict == nil || time.Since(place.since) < p.Hold {
			continue
		}
		if n := max(p.of[place.user], fewPlaces); n > most || n == most && victim == nil {
			most, victim = n, place
		}
	}
	if victim == nil {
		return false
	}
	victim.evict()
	p.remove(victim)
	return true
}

// remove frees a place, if it is still taken.
func (p *Places) remove(place *Place) {
	i := slices.Index(p.taken, place)
	if i < 0 {
		return
	}
	p.taken = slices.Delete(p.taken, i, i+1)
	if p.of[place.user]--; p.of[place.user] == 0 {
		delete(p.of, place.user)
	}
}

// Leave frees the place.
func (p *Place) Leave() {
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	p.all.remove(p)
}

// Keep makes sure that the holder is not evicted.
func (p *Place) Keep() {
	p.all.mu.Lock()
	defer p.all.mu.Unlock()
	p.evict = nil
}
