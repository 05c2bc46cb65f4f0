package httplimit

import "sync"

// Shared is something that exists while anybody uses it.
type Shared struct {
	mu    sync.Mutex
	users int
	end   func()
}

// Use calls begin for the first user, and end when the last one has called leave.
func (s *Shared) Use(begin func() (end func())) (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.users++; s.users == 1 {
		s.end = begin()
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.users--; s.users == 0 {
			s.end()
		}
	}
}
