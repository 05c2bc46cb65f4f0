package tournament

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"slices"

	"github.com/c4hat/c4hat/board"
)

// Results are the results of a tournament so far, the best player first.
type Results struct {
	Players []*Standing `json:"players"`
	Pairs   []*Pair     `json:"pairs"`

	Games  int `json:"games"` // in the whole tournament
	Played int `json:"played"`

	list   []*Game
	pairs  map[key]*Pair   // without numbers
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
	Rank    int    `json:"rank"` // players with the same score have the same
	Name    string `json:"name"`
	Program bool   `json:"program"`
	Score
	Kept    *float64 `json:"kept"`      // the share of moves that kept the position's score; nil if that is unknown
	Median  float64  `json:"median_ms"` // of what a program's moves took
	Slowest float64  `json:"slowest_ms"`
	Faults  int      `json:"faults"`

	FirstFault string `json:"first_fault,omitempty"` // the error in the first game with a fault

	judged, kept int       // moves
	took         []float64 // by each move of a program
}

// Pair is the result of one player against another, counted for the first.
type Pair struct {
	Players [2]string `json:"players"`
	Score
}

func newResults(players []*Player, o Options) *Results {
	r := &Results{
		Players: []*Standing{}, Pairs: []*Pair{}, pairs: map[key]*Pair{},
		solved: o.Rules.Connect == board.Standard.Connect, seen: map[uint64]bool{},
	}
	for i, p := range players {
		r.Players = append(r.Players, &Standing{Name: p.Name, Program: p.isProgram()})
		for _, other := range players[i+1:] {
			if i == 0 || !o.Gauntlet {
				pair := &Pair{Players: [2]string{p.Name, other.Name}}
				r.Pairs, r.pairs[keyOf(p.Name, other.Name, 0)] = append(r.Pairs, pair), pair
			}
		}
	}
	r.Games = len(r.Pairs) * o.Games
	return r
}

func (r *Results) add(g *Game) {
	hash := fnv.New64a()
	_, _ = fmt.Fprintf(hash, "%q %q %s", g.Red, g.Yellow, g.Moves)
	differs := !r.seen[hash.Sum64()]
	r.seen[hash.Sum64()] = true
	r.Played++
	r.list = append(r.list, g)
	p := r.pairs[keyOf(g.Red, g.Yellow, 0)]
	p.count(g.winner(), discs[slices.Index([]string{g.Red, g.Yellow}, p.Players[0])], differs)
	for side, name := range [2]string{g.Red, g.Yellow} {
		s := r.Players[slices.IndexFunc(r.Players, func(s *Standing) bool { return s.Name == name })]
		s.count(g.winner(), discs[side], differs)
		if g.Took != nil {
			s.took = append(s.took, g.Took[side]...)
		}
		if g.Judged != nil {
			s.judged += g.Judged[side]
		} else {
			s.judged += (len(g.Moves)+1-side)/2 - (len(g.Opening)+1-side)/2
		}
		if g.Kept != nil {
			s.kept += g.Kept[side]
		}
		if g.Fault != "" && g.winner() != discs[side] {
			s.Faults++
			s.FirstFault = cmp.Or(s.FirstFault, g.Fault)
		}
	}
}

// against returns one player's score against another, and the number of their games.
func (r *Results) against(a, b string) (share float64, games int) {
	p, meet := r.pairs[keyOf(a, b, 0)]
	switch {
	case !meet:
		return 0, 0
	case p.Players[0] == a:
		return p.Share, p.Games
	}
	return 1 - p.Share, p.Games
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

// finish computes the shares and times from the counts, and sorts the players.
func (r *Results) finish() {
	for _, p := range r.Pairs {
		p.share()
	}
	for _, s := range r.Players {
		if r.solved && s.judged > 0 {
			s.Kept = new(float64(s.kept) / float64(s.judged))
		}
		if n := len(s.took); n > 0 {
			slices.Sort(s.took)
			s.Median, s.Slowest = s.took[n/2], s.took[n-1]
		}
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
