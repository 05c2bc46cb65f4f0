package solver

import (
	"context"
	"errors"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/solver/book"
)

// Errors of a position that has no score.
var (
	ErrRules = errors.New("solver: only the standard board, 7x6 with four in a line, is solved")
	ErrOver  = errors.New("solver: the game is over: somebody has four in a line")
)

// ErrNodes says that a score was not found within [Options.Nodes].
var ErrNodes = errors.New("solver: not solved within the given number of positions")

// Options are how a [Solver] works. The zero Options are the usual ones.
type Options struct {
	// Table is the memory for positions met before, in bytes: the largest power of
	// two that fits is used, as it is needed. 0 is [DefaultTable], and there is a
	// least. Up to half a MiB comes on top, for late positions.
	Table int
	// Nodes is how many positions a search may visit, or a little more, before it
	// gives up with [ErrNodes]; 0 is any number.
	Nodes uint64
	// NoBook leaves the opening book out: everything is searched.
	NoBook bool
	// Threads is how many threads look for one answer, for positions that take long
	// enough; 0 is one.
	Threads int
	// Progress, if any, is called from time to time during a long search, some
	// twenty times a second on a fast machine, by the goroutine that searches.
	Progress func(Progress)
}

// DefaultTable is the usual size of the table, in bytes.
const DefaultTable = 64 << 20

// Progress is how far a search has come.
type Progress struct {
	Column    int    // being looked at in an analysis; -1 while the position itself is
	Low, High int    // the score of that is one of them, or lies between
	Nodes     uint64 // positions visited so far
}

// Result is what a position is worth.
type Result struct {
	Score int    // to the side to move, as the package's documentation has it
	Nodes uint64 // positions visited to find it, not counting forced replies
}

// Solver solves positions, one at a time: it is for one goroutine. It remembers
// what it has met, which makes later positions quicker to solve and changes no
// score.
type Solver struct {
	early, late *table
	book        *book.Book
	lastBook    int    // ply with entries in the book, or -1
	most        uint64 // nodes; 0 is any number
	lists       [cells]candidates
	progress    func(Progress)

	nodes     uint64 // visited for the position in work
	column    int    // of it that is being analysed, or -1
	low, high int    // bounds of the score that is looked for
	done      <-chan struct{}
	stopped   bool   // the context is done: nothing that is returned means anything
	team      *team  // that this Solver leads, or nil
	helps     *team  // or that it is a helper in
	whim      uint64 // of a helper: see [candidates.vary]
	polled    func() // for tests: called at every poll
}

// CheckBook gives the error of an opening book that is damaged. A [Solver] does
// without it then: it is as right, and slower.
func CheckBook() error {
	_, err := book.Embedded()
	return err
}

// New makes a Solver.
func New(o Options) *Solver {
	if o.Table == 0 {
		o.Table = DefaultTable
	}
	var openings *book.Book
	if !o.NoBook {
		openings, _ = book.Embedded() // for [CheckBook] to tell
	}
	early, late := newTable(o.Table), newTable(min(lateTable, o.Table))
	s := &Solver{
		book:     openings,
		lastBook: openings.Last(),
		early:    &early,
		late:     &late,
		most:     o.Nodes,
		progress: o.Progress,
	}
	s.team = s.newTeam(o.Threads)
	return s
}

// Reset forgets all positions met so far. The book stays.
func (s *Solver) Reset() {
	s.early.reset()
	s.late.reset()
	if s.team != nil {
		s.team.alone = helpNodes
		for _, h := range s.team.helpers {
			h.late.reset()
		}
	}
}

// Late positions are many, each soon met again or never, and cheap to search
// anew: a small table, which stays in the cache, serves them better than a large
// one, and they do not drive the early ones, few and dear, out of theirs.
const (
	latePly   = 24
	lateTable = 512 << 10
)

// table is where positions of that ply are remembered.
func (s *Solver) table(ply int) *table {
	if ply < latePly {
		return s.early
	}
	return s.late
}

// Solve gives the exact score of a position: of any that can be reached on the
// standard board, whoever began, in which nobody has won yet. The error is
// [ErrRules], [ErrOver], [ErrNodes] or the context's, within a millisecond or so of
// its end.
func (s *Solver) Solve(ctx context.Context, p board.Position) (Result, error) {
	at, err := s.begin(ctx, p)
	if err != nil {
		return Result{}, err
	}
	score, ok := s.solve(at, p.Ply())
	if !ok {
		return Result{}, whyStopped(ctx)
	}
	return Result{Score: score, Nodes: s.nodes}, nil
}

func whyStopped(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return ErrNodes
}

func stateOf(p board.Position) (state, error) {
	switch {
	case p.Rules() != board.Standard:
		return state{}, ErrRules
	case p.Outcome().Winner() != board.Empty:
		return state{}, ErrOver
	}
	mover, other := uint64(p.Discs(p.Turn())), uint64(p.Discs(p.Turn().Other()))
	empty := all &^ (mover | other)
	return state{mover, other, completing(mover) & empty, completing(other) & empty}, nil
}

// begin is the beginning of every question about a position.
func (s *Solver) begin(ctx context.Context, p board.Position) (state, error) {
	s.nodes, s.column, s.stopped, s.done = 0, -1, false, ctx.Done()
	at, err := stateOf(p)
	if err != nil {
		return state{}, err
	}
	return at, ctx.Err()
}

// How many nodes are searched, at most, before the context and who waits for
// progress are looked after; powers of two.
const (
	pollNodes     = 1 << 11
	progressNodes = 1 << 20
)

// poll looks whether the search is still wanted, and reports.
func (s *Solver) poll() {
	if s.polled != nil {
		s.polled()
	}
	if s.helps != nil {
		s.stopped = s.helps.over.Load()
		return
	}
	s.stopped = s.cancelled()
	if t := s.team; t != nil && !s.stopped {
		switch {
		case t.atWork:
			s.stopped = t.over.Load()
		case s.nodes-t.asked >= t.alone:
			t.help(s.early)
		}
	}
	if s.progress != nil && s.nodes&(progressNodes-1) == 0 {
		p := Progress{Column: s.column, Low: s.low, High: s.high, Nodes: s.nodes}
		if s.column >= 0 { // it is the other side's score that is looked for
			p.Low, p.High = -s.high, -s.low
		}
		s.progress(p)
	}
}

// cancelled says that the context is done, or all nodes that were allowed are visited.
func (s *Solver) cancelled() bool {
	select {
	case <-s.done:
		return true
	default:
		return s.most != 0 && s.nodes >= s.most
	}
}
