package tournament

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"time"

	"github.com/c4hat/c4hat/board"
)

// Results are the results of a tournament so far, the best player first.
type Results struct {
	Players []*Standing `json:"players"`
	Pairs   []*Pair     `json:"pairs"`

	Games  int             `json:"games"` // in the whole tournament
	Played int             `json:"played"`
	keep   bool            // all games
	solved bool            // the solver has scored the moves
	seen   map[uint64]bool // hashes of the games
}

// Score counts a player's wins, draws and losses. A draw counts as half a win.
type Score struct {
	Games    int         `json:"games"`
	Differ   int         `json:"different"` // games, without those that repeat an earlier game
	Wins     int         `json:"wins"`
	Draws    int         `json:"draws"`
	Losses   int         `json:"losses"`
	Share    float64     `json:"score"`    // (wins + draws / 2) / games
	Interval *[2]float64 `json:"interval"` // of the share at 95 % confidence, from the games that differ; nil without games
}

// Standing is a player's result.
type Standing struct {
	Rank int    `json:"rank"` // players with the same score have the same
	Name string `json:"name"`
	Score
	Kept    *float64 `json:"kept"`      // the share of moves that kept the position's score; nil if that is unknown
	Median  float64  `json:"median_ms"` // of what a program's moves took, as it counts
	Slowest float64  `json:"slowest_ms"`
	Clock   float64  `json:"slowest_clock_ms"`
	Faults  int      `json:"faults"`

	FirstFault string `json:"first_fault,omitempty"` // the error in the first game with a fault

	player      *Player
	moves, kept int
	times       times
}

// Pair is the result of one player against another, counted for the first.
type Pair struct {
	Players [2]string `json:"players"`
	Score

	List []*Game `json:"-"` // with [Options.Keep]
}

func newResults(players []*Player, o Options) *Results {
	r := &Results{
		Players: []*Standing{}, Pairs: []*Pair{}, keep: o.Keep,
		solved: o.Rules.Connect == board.Standard.Connect, seen: map[uint64]bool{},
	}
	for i, p := range players {
		r.Players = append(r.Players, &Standing{Name: p.Name, player: p})
		for _, other := range players[i+1:] {
			if o.Gauntlet && i > 0 {
				break
			}
			r.Pairs = append(r.Pairs, &Pair{Players: [2]string{p.Name, other.Name}})
		}
	}
	r.Games = len(r.Pairs) * o.Games
	return r
}

func (r *Results) add(g *Game) {
	r.Played++
	p := r.Pairs[r.pair(g.Red, g.Yellow)]
	differs := r.differs(g)
	if r.keep {
		p.List = append(p.List, g)
	}
	first := board.Red
	if p.Players[0] == g.Yellow {
		first = board.Yellow
	}
	p.count(g.winner(), first, differs)
	for side, name := range [2]string{g.Red, g.Yellow} {
		i := slices.IndexFunc(r.Players, func(s *Standing) bool { return s.Name == name })
		s := r.Players[i]
		s.count(g.winner(), discs[side], differs)
		if g.Took != nil {
			for _, ms := range g.Took[side] {
				s.times.add(time.Duration(ms * float64(time.Millisecond)))
			}
			s.Clock = max(s.Clock, g.Clock[side])
		}
		if g.Kept != nil {
			judged := g.chosen(side)
			if g.Judged != nil {
				judged = g.Judged[side]
			}
			s.moves += judged
			s.kept += g.Kept[side]
		}
		if g.Fault != "" && g.winner() != discs[side] {
			if s.Faults++; s.Faults == 1 {
				s.FirstFault = g.Fault
			}
		}
	}
}

// pair returns the index of the pair of two players, or -1.
func (r *Results) pair(a, b string) int {
	return slices.IndexFunc(r.Pairs, func(p *Pair) bool {
		return p.Players == [2]string{a, b} || p.Players == [2]string{b, a}
	})
}

// against returns one player's score against another, and the number of their games.
func (r *Results) against(a, b string) (share float64, games int) {
	switch i := r.pair(a, b); {
	case i < 0:
		return 0, 0
	case r.Pairs[i].Players[0] == a:
		return r.Pairs[i].Share, r.Pairs[i].Games
	default:
		return 1 - r.Pairs[i].Share, r.Pairs[i].Games
	}
}

// differs reports whether a game is not the same as an earlier one.
func (r *Results) differs(g *Game) bool {
	h, before := fnv.New64a(), len(r.seen)
	_, _ = fmt.Fprintf(h, "%q %q %s", g.Red, g.Yellow, g.Moves)
	r.seen[h.Sum64()] = true
	return len(r.seen) > before
}

func (s *Score) count(winner, side board.Disc, differs bool) {
	s.Games++
	if differs {
		s.Differ++
	}
	switch winner {
	case board.Empty:
		s.Draws++
	case side:
		s.Wins++
	default:
		s.Losses++
	}
}

// times counts times in steps of about 2 %, so that their number needs no memory.
type times struct {
	counts  [64 * 32]int
	all     int
	longest time.Duration
}

func (t *times) add(d time.Duration) {
	t.counts[int(32*math.Log2(float64(max(d, 1))))]++
	t.all++
	t.longest = max(t.longest, d)
}

// median returns the median in milliseconds, or 0 if there are no times.
func (t *times) median() float64 {
	if t.all == 0 {
		return 0
	}
	i, rest := 0, t.all/2
	for ; rest >= t.counts[i]; i++ {
		rest -= t.counts[i]
	}
	return min(math.Exp2((float64(i)+0.5)/32), float64(t.longest)) / 1e6
}

// finish computes the shares and times from the counts, and sorts the players.
func (r *Results) finish() {
	for _, p := range r.Pairs {
		p.share()
		slices.SortFunc(p.List, func(a, b *Game) int { return a.Number - b.Number })
	}
	for _, s := range r.Players {
		if r.solved && s.moves > 0 {
			s.Kept = new(float64(s.kept) / float64(s.moves))
		}
		s.Median, s.Slowest = milliseconds(time.Duration(s.times.median()*1e6)), milliseconds(s.times.longest)
	}
	r.rank()
}

// rank sorts the players, the best first.
func (r *Results) rank() {
	slices.SortStableFunc(r.Players, func(a, b *Standing) int { return cmp.Compare(b.share(), a.share()) })
	for i, s := range r.Players {
		if s.Rank = i + 1; i > 0 && s.Share == r.Players[i-1].Share {
			s.Rank = r.Players[i-1].Rank
		}
	}
}

// share computes the share and Wilson's score interval for it, with a draw as half a success.
// Unlike the normal approximation, this interval is also right for shares near 0 and 1. A game that
// repeats another says nothing new, so the interval is as wide as if it had not been played.
func (s *Score) share() float64 {
	if s.Games == 0 {
		return 0
	}
	const z = 1.959964 // 95 % of the normal distribution is within ±z
	n := float64(s.Differ)
	p := (float64(s.Wins) + float64(s.Draws)/2) / float64(s.Games)
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	s.Share = p
	s.Interval = &[2]float64{round(max(middle-half, 0)), round(min(middle+half, 1))}
	return p
}

// round hides the error of a computation.
func round(x float64) float64 { return math.Round(x*1e9) / 1e9 }
