package solver

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// team is the threads that together search one position with one beta. Each thread makes the whole
// search, with its own order of moves, and shares its results through the table of early
// positions. The first thread to finish has the answer. A bound is valid whichever thread
// found it, so scores do not depend on the number of threads.
type team struct {
	helpers []*Solver
	root    struct {
		at        state
		ply, beta int
	}
	helpAfter  uint64       // nodes that a search takes before the helpers start
	startNodes uint64       // the Solver's node count at the start of the search
	running    bool         // whether the helpers run
	done       atomic.Bool  // tells all threads to stop
	answer     atomic.Int64 // a helper's bound, or none
	nodes      atomic.Uint64
	wait       sync.WaitGroup
}

const (
	none = lowest - 1

	// initialHelpAfter is the first value of helpAfter. The helpers need the table at its
	// maximum size, and growing it takes about as long as that many nodes.
	initialHelpAfter = 1 << 18
)

// newTeam returns nil for one thread.
func (s *Solver) newTeam(threads int) *team {
	if threads < 2 {
		return nil
	}
	t := &team{helpAfter: initialHelpAfter}
	for i := range threads - 1 {
		t.helpers = append(t.helpers, &Solver{
			early: s.early,
			late:  newTable(lateTable),
			noise: uint64(i+1) * golden,
			helps: t,
		})
	}
	return t
}

// ask is like search, but uses all threads if it takes long.
func (s *Solver) ask(at state, ply, beta int) (bound int) {
	t := s.team
	if t == nil {
		return s.search(at, ply, beta, noCell)
	}
	t.root.at, t.root.ply, t.root.beta = at, ply, beta
	t.startNodes = s.nodes
	t.answer.Store(none)
	bound = s.search(at, ply, beta, noCell)
	if !t.running {
		return bound
	}
	t.done.Store(true)
	t.wait.Wait()
	t.done.Store(false)
	t.running = false
	s.nodes += t.nodes.Swap(0)
	if answer := int(t.answer.Load()); s.stopped && answer != none {
		s.stopped = s.cancelled()
		return answer
	}
	return bound
}

func (t *team) help(early *table) {
	early.share()
	t.running, t.helpAfter = true, 0
	for _, h := range t.helpers {
		t.wait.Go(func() {
			h.nodes, h.stopped = 0, false
			bound := h.search(t.root.at, t.root.ply, t.root.beta, noCell)
			if !h.stopped {
				t.answer.CompareAndSwap(none, int64(bound))
				t.done.Store(true)
			}
			t.nodes.Add(h.nodes)
		})
	}
}

// addNoise reorders moves of similar priority at random; noise is the state of the generator.
func (c *candidates) addNoise(noise *uint64) {
	for i := range c.n {
		*noise ^= *noise << 13
		*noise ^= *noise >> 7
		*noise ^= *noise << 17
		c.insert(i, c.order[i&7]+uint32(*noise>>(64-bits.Len(noiseRange-1)))<<cellBits)
	}
}

// addNoise adds 0 to noiseRange-1 to the priority of each move; noiseRange is a power of two.
const noiseRange = 8
