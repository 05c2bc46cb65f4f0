package solver

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// team is the threads that work on one question together. Each searches the whole
// question in its own order and shares what it finds through the table of early
// positions. The first to finish has the answer. A bound is valid whichever thread found
// it, so scores do not depend on the number of threads.
type team struct {
	helpers  []*Solver
	question struct {
		at        state
		ply, beta int
	}
	alone  uint64 // nodes of a question before the helpers start
	asked  uint64 // the Solver's node count at the start of the question
	atWork bool   // whether the helpers run
	over   atomic.Bool
	answer atomic.Int64 // a helper's bound, or none
	nodes  atomic.Uint64
	ended  sync.WaitGroup
}

const (
	none = lowest - 1

	// helpNodes is the first value of alone. The helpers need the table at its maximum
	// size, and to grow it takes about as long as that many nodes.
	helpNodes = 1 << 18
)

// newTeam returns nil for one thread.
func (s *Solver) newTeam(threads int) *team {
	if threads < 2 {
		return nil
	}
	t := &team{alone: helpNodes}
	for i := range threads - 1 {
		late := newTable(lateTable)
		t.helpers = append(t.helpers, &Solver{
			early:    s.early,
			late:     &late,
			book:     s.book,
			lastBook: s.lastBook,
			whim:     uint64(i+1) * golden,
			helps:    t,
		})
	}
	return t
}

// ask is like search, with all threads if it takes long.
func (s *Solver) ask(at state, ply, beta int) (bound int) {
	t := s.team
	if t == nil {
		return s.search(at, ply, beta, noCell)
	}
	t.question.at, t.question.ply, t.question.beta = at, ply, beta
	t.asked = s.nodes
	t.answer.Store(none)
	bound = s.search(at, ply, beta, noCell)
	if !t.atWork {
		return bound
	}
	t.over.Store(true)
	t.ended.Wait()
	t.over.Store(false)
	t.atWork = false
	s.nodes += t.nodes.Swap(0)
	if answer := int(t.answer.Load()); s.stopped && answer != none {
		s.stopped = s.cancelled()
		return answer
	}
	return bound
}

// help starts the helpers.
func (t *team) help(early *table) {
	early.share()
	t.atWork, t.alone = true, 0
	for _, h := range t.helpers {
		t.ended.Add(1)
		go func() {
			defer t.ended.Done()
			h.nodes, h.stopped = 0, false
			bound := h.search(t.question.at, t.question.ply, t.question.beta, noCell)
			if !h.stopped {
				t.answer.CompareAndSwap(none, int64(bound))
				t.over.Store(true)
			}
			t.nodes.Add(h.nodes)
		}()
	}
}

// vary reorders moves of similar worth at random; whim is the random state.
func (c *candidates) vary(whim *uint64) {
	for i := range c.n {
		*whim ^= *whim << 13
		*whim ^= *whim >> 7
		*whim ^= *whim << 17
		c.insert(i, c.order[i&7]+uint32(*whim>>(64-bits.Len(whimWorth-1)))<<cellBits)
	}
}

// vary adds less than whimWorth to a move's worth; a power of two.
const whimWorth = 8
