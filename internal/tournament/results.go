package tournament

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/c4hat/c4hat/board"
)

// Results are the results of a tournament so far, the best player first.
type Results struct {
	Players []*Standing `json:"players"`
	Pairs   []*Pair     `json:"pairs"`

	played int
	solved bool // the solver has scored the moves
}

// Score counts a player's wins, draws and losses. A draw counts as half a win.
type Score struct {
	Games    int         `json:"games"`
	Wins     int         `json:"wins"`
	Draws    int         `json:"draws"`
	Losses   int         `json:"losses"`
	Share    float64     `json:"score"`    // (wins + draws / 2) / games
	Interval *[2]float64 `json:"interval"` // of the share at 95 % confidence; nil without games
}

// Standing is a player's result.
type Standing struct {
	Name string `json:"name"`
	Score
	Kept    *float64 `json:"kept"` // the share of moves that kept the position's score; nil if that is unknown
	Median  float64  `json:"median_ms"`
	Slowest float64  `json:"slowest_ms"`
	Faults  int      `json:"faults"`

	FirstFault string `json:"first_fault,omitempty"` // the error in the first game with a fault

	player      *Player
	moves, kept int
	times       []time.Duration
}

// Pair is the result of one player against another, counted for the first.
type Pair struct {
	Players [2]string `json:"players"`
	Score
}

func newResults(players []*Player, o Options) *Results {
	r := &Results{Players: []*Standing{}, Pairs: []*Pair{}, solved: o.Rules == board.Standard}
	for i, p := range players {
		r.Players = append(r.Players, &Standing{Name: p.Name, player: p})
		for _, other := range players[i+1:] {
			r.Pairs = append(r.Pairs, &Pair{Players: [2]string{p.Name, other.Name}})
		}
	}
	return r
}

func (r *Results) add(g *Game) {
	r.played++
	for side, p := range g.players {
		i := slices.IndexFunc(r.Players, func(s *Standing) bool { return s.player == p })
		s := r.Players[i]
		s.count(g.winner, discs[side])
		s.times = append(s.times, g.times[side]...)
		if g.Kept != nil {
			s.moves += len(g.times[side])
			s.kept += g.Kept[side]
		}
		if g.faulty == discs[side] {
			if s.Faults++; s.Faults == 1 {
				s.FirstFault = g.Fault
			}
			if g.late > 0 {
				s.times = append(s.times, g.late)
			}
		}
	}
	for _, p := range r.Pairs {
		switch p.Players {
		case [2]string{g.Red, g.Yellow}:
			p.count(g.winner, board.Red)
		case [2]string{g.Yellow, g.Red}:
			p.count(g.winner, board.Yellow)
		}
	}
}

func (s *Score) count(winner, side board.Disc) {
	s.Games++
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
		s.share()
		if r.solved && s.moves > 0 {
			kept := float64(s.kept) / float64(s.moves)
			s.Kept = &kept
		}
		if n := len(s.times); n > 0 {
			slices.Sort(s.times)
			s.Median, s.Slowest = s.times[n/2].Seconds()*1000, s.times[n-1].Seconds()*1000
		}
	}
	slices.SortStableFunc(r.Players, func(a, b *Standing) int { return cmp.Compare(b.Share, a.Share) })
}

// share computes the share and Wilson's score interval for it, with a draw as half a success.
// Unlike the normal approximation, this interval is also right for shares near 0 and 1.
func (s *Score) share() {
	if s.Games == 0 {
		return
	}
	const z = 1.959964 // 95 % of the normal distribution is within ±z
	n := float64(s.Games)
	p := (float64(s.Wins) + float64(s.Draws)/2) / n
	middle := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	s.Share = p
	s.Interval = &[2]float64{max(middle-half, 0), min(middle+half, 1)}
}
