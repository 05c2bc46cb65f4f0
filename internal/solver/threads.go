package solver

import (
	"math/bits"
	"sync"
	"sync/atomic"
)

// team is the threads that look for the answer to one question together. Each
// searches all of it, in an order of its own; what one finds, the others find in the
// table of early positions, which they share. Whoever is first has the answer: a
// bound is as true whoever found it, so no score depends on them.
type team struct {
	helpers  []*Solver
	question struct {
		at        state
		ply, beta int
	}
	alone  uint64 // nodes that a question takes before there is help
	asked  uint64 // the nodes before the question
	atWork bool   // the helpers
	over   atomic.Bool
	answer atomic.Int64 // of a helper, if not none
	nodes  atomic.Uint64
	ended  sync.WaitGroup
}

const (
	none = lowest - 1

	// A question has taken so many nodes before there is help, the first time: the
	// table is made as large as it can be for that, which takes as long as they do.
	helpNodes = 1 << 18
)

// newTeam gives nil for one thread.
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

// ask is a search, by all threads if it takes longer.
func (s *Solver) ask(at state, ply, beta int) (bound int) {
	t := s.team
	if t == nil {
		return s.search(at, ply, beta)
	}
	t.question.at, t.question.ply, t.question.beta = at, ply, beta
	t.asked = s.nodes
	t.answer.Store(none)
	bound = s.search(at, ply, beta)
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

// help sets the helpers to work.
func (t *team) help(early *table) {
	early.share()
	t.atWork, t.alone = true, 0
	for _, h := range t.helpers {
		t.ended.Add(1)
		go func() {
			defer t.ended.Done()
			h.nodes, h.stopped = 0, false
			bound := h.search(t.question.at, t.question.ply, t.question.beta)
			if !h.stopped {
				t.answer.CompareAndSwap(none, int64(bound))
				t.over.Store(true)
			}
			t.nodes.Add(h.nodes)
		}()
	}
}

// vary puts moves of about the same worth in another order, by a whim.
func (c *candidates) vary(whim *uint64) {
	for i := range c.n {
		*whim ^= *whim << 13
		*whim ^= *whim >> 7
		*whim ^= *whim << 17
		entry := c.order[i&7] + uint32(*whim>>(64-bits.Len(whimWorth-1)))<<cellBits
		j := i & 7
		for j > 0 && c.order[j-1] < entry {
			c.order[j] = c.order[j-1]
			j--
		}
		c.order[j] = entry
	}
}

// whimWorth is how much a whim adds to a move's worth, at most; a power of two.
const whimWorth = 8
