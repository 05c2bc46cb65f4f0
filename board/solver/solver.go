package solver

import (
	"cmp"
	"context"
	"errors"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver/book"
)

// Errors for positions that cannot be solved.
var (
	ErrRules = errors.New("solver: only boards with four in a line are solved")
	ErrOver  = errors.New("solver: the game is over: somebody has four in a line")
)

// ErrNodes reports that [Options.Nodes] did not suffice to find the score.
var ErrNodes = errors.New("solver: not solved within the given number of positions")

// Options configure a [Solver]. The zero value has the defaults.
type Options struct {
	// Table is the maximum size of the transposition table in bytes, rounded down to
	// a power of two, but at least 16 KiB; 0 means [DefaultTable]. Memory is allocated
	// as needed. Late positions use up to 512 KiB more per thread.
	Table int
	// Nodes is the approximate number of positions a call may visit before it
	// fails with [ErrNodes]; 0 means no limit. Estimate ignores it.
	Nodes uint64
	// NoBook disables the opening book.
	NoBook bool
	// Threads is the number of threads that search one position, if the search takes long
	// enough; 0 means one.
	Threads int
	// Progress, if not nil, is called during long searches, about fifteen times a second on a
	// fast machine, by the goroutine that called the Solver.
	Progress func(Progress)
}

// DefaultTable is the default of [Options.Table], in bytes.
const DefaultTable = 64 << 20

// Progress is the progress of a search.
type Progress struct {
	Column    int    // the column being analysed, or -1 for the position itself
	Low, High int    // bounds of its score, inclusive
	Nodes     uint64 // positions visited so far
}

// Result is the score of a position.
type Result struct {
	Score int    // for the side to move; see the package documentation
	Nodes uint64 // positions visited, not counting forced replies
}

// Solver solves positions, one at a time. It is not safe for concurrent use. It
// remembers positions from earlier searches, which makes later ones faster and changes
// no score.
type Solver struct {
	geometry
	early, late *table
	openings    *book.Book // of the standard board
	book        *book.Book // of the present board, or nil
	lastBook    int        // the last ply with entries in the book, or -1
	maxNodes    uint64     // 0 means no limit
	lists       [board.MaxCells]candidates
	history     history
	tree        []leaf // of Estimate
	progress    func(Progress)

	nodes     uint64 // visited for the current position
	column    int    // the column being analysed, or -1
	low, high int    // bounds of the score being searched
	done      <-chan struct{}
	stopped   bool   // cancelled: returned bounds are meaningless
	team      *team  // the team this Solver leads, or nil
	helps     *team  // the team it helps, or nil
	noise     uint64 // a helper's random state, see [candidates.addNoise]; 0 for others
	polled    func() // for tests: called at every poll
}

// CheckBook returns an error if the embedded opening book is damaged. A [Solver] then
// works without it, which is slower but gives the same scores.
func CheckBook() error {
	_, err := book.Embedded()
	return err
}

// New returns a Solver.
func New(o Options) *Solver {
	size := cmp.Or(o.Table, DefaultTable)
	var openings *book.Book
	if !o.NoBook {
		openings, _ = book.Embedded() // [CheckBook] reports the error
	}
	s := &Solver{
		openings: openings,
		early:    newTable(size),
		late:     newTable(min(lateTable, size)),
		maxNodes: o.Nodes,
		progress: o.Progress,
	}
	s.team = s.newTeam(o.Threads)
	s.setBoard(board.Standard)
	return s
}

// setBoard prepares the Solver for a board and, if it is another one than before, forgets
// everything.
func (s *Solver) setBoard(r board.Rules) {
	if s.columns == r.Columns && s.rows == r.Rows {
		return
	}
	s.geometry = newGeometry(r.Columns, r.Rows)
	s.book = nil
	if r == board.Standard {
		s.book = s.openings
	}
	s.lastBook = s.book.Last()
	s.early.widen(s.wide)
	s.late.widen(s.wide)
	if s.team != nil {
		for _, h := range s.team.helpers {
			h.geometry, h.book, h.lastBook = s.geometry, s.book, s.lastBook
			h.late.widen(s.wide)
		}
	}
	s.Reset()
}

// Reset forgets all positions of earlier searches, but not the book.
func (s *Solver) Reset() {
	s.early.reset()
	s.late.reset()
	s.history = history{}
	if s.team != nil {
		s.team.helpAfter = initialHelpAfter
		for _, h := range s.team.helpers {
			h.late.reset()
			h.history = history{}
		}
	}
}

// Limit replaces [Options.Nodes].
func (s *Solver) Limit(nodes uint64) { s.maxNodes = nodes }

// Late positions have a separate table. There are many of them, they are cheap to
// search again, and each recurs soon or never. So a small table that stays in the cache suits
// them better than a large one, and in it they do not displace the early positions, which are
// few and expensive.
const lateTable = 512 << 10

func (s *Solver) table(ply int) *table {
	if ply < s.latePly {
		return s.early
	}
	return s.late
}

// Solve returns the exact score of a position. The position must be on a board with four in a line
// and not won; either colour may have begun. The error is [ErrRules], [ErrOver],
// [ErrNodes] or the context's. Solve returns within about a millisecond after the
// context ends.
func (s *Solver) Solve(ctx context.Context, p board.Position) (Result, error) {
	at, err := s.begin(ctx, p)
	if err != nil {
		return Result{}, err
	}
	score, ok := s.solve(at, p.Ply(), none)
	if !ok {
		return Result{}, stopError(ctx)
	}
	return Result{Score: score, Nodes: s.nodes}, nil
}

func stopError(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return ErrNodes
}

func (g *geometry) stateOf(p board.Position) state {
	return g.stateAt(uint64(p.Discs(p.Turn())), uint64(p.Discs(p.Turn().Other())))
}

func (g *geometry) stateAt(mover, other uint64) state {
	empty := g.all &^ (mover | other)
	return state{mover, other, completing(mover) & empty, completing(other) & empty}
}

func (s *Solver) begin(ctx context.Context, p board.Position) (state, error) {
	s.nodes, s.column, s.stopped, s.done = 0, -1, false, ctx.Done()
	s.low, s.high = lowest, highest
	switch rules := p.Rules(); {
	case rules.Connect != board.Standard.Connect:
		return state{}, ErrRules
	case p.Outcome().Winner() != board.Empty:
		return state{}, ErrOver
	default:
		s.setBoard(rules)
	}
	return s.stateOf(p), ctx.Err()
}

// The numbers of nodes between two polls and between two progress reports; powers of
// two.
const (
	pollNodes     = 1 << 11
	progressNodes = 1 << 20
)

// poll checks whether to stop the search, starts the helpers if it is time, and reports
// progress.
func (s *Solver) poll() {
	if s.polled != nil {
		s.polled()
	}
	if s.helps != nil {
		s.stopped = s.helps.done.Load()
		return
	}
	s.stopped = s.cancelled()
	if t := s.team; t != nil && !s.stopped {
		switch {
		case t.running:
			s.stopped = t.done.Load()
		case s.nodes-t.startNodes >= t.helpAfter:
			t.help(s.early)
		}
	}
	if s.progress != nil && s.nodes&(progressNodes-1) == 0 {
		p := Progress{Column: s.column, Low: s.low, High: s.high, Nodes: s.nodes}
		if s.column >= 0 { // the bounds are those of the other side's score
			p.Low, p.High = -s.high, -s.low
		}
		s.progress(p)
	}
}

// cancelled reports whether the context is done or the maximum number of nodes reached.
func (s *Solver) cancelled() bool {
	select {
	case <-s.done:
		return true
	default:
		return s.maxNodes != 0 && s.nodes >= s.maxNodes
	}
}
