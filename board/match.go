package board

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
)

// First is the rule that says who starts a round.
type First uint8

// The rules for who starts. Red starts the first round of Alternate and Loser.
const (
	FirstRed       First = iota // every round
	FirstYellow                 // every round
	FirstAlternate              // in turn
	FirstLoser                  // the loser of the last round; after a draw the other one than before
	FirstRandom                 // drawn for each round
)

var firstNames = [...]string{"red", "yellow", "alternate", "loser", "random"}

// Errors of a match.
var (
	ErrFirst     = errors.New("board: no rule for who starts")
	ErrPoints    = errors.New("board: a match needs at least one point")
	ErrMatchOver = errors.New("board: the match is over")
	ErrRoundOpen = errors.New("board: the round is not over")
	ErrRound     = errors.New("board: not a round of this match")
)

// ParseFirst reads a rule by its name: red, yellow, alternate, loser or random.
// The error is an [ErrFirst].
func ParseFirst(s string) (First, error) {
	for f, name := range firstNames {
		if s == name {
			return First(f), nil
		}
	}
	return 0, fmt.Errorf("%w: %.20q, want red, yellow, alternate, loser or random", ErrFirst, s)
}

// String is the rule's name.
func (f First) String() string {
	if int(f) < len(firstNames) {
		return firstNames[f]
	}
	return fmt.Sprintf("First(%d)", uint8(f))
}

// Match is a row of rounds, a point for each round won, until somebody has the
// points that win it. It knows the moves of its rounds, so that it can be written
// down and read again. It is a comparable value: [Match.Record] gives the next.
type Match struct {
	rules   Rules
	target  int
	first   First
	seed    uint64
	points  [2]int
	rounds  int
	starter Disc
	games   string // of the rounds, each in the field's notation and a comma
}

// NewMatch starts a match to the given points, 1 or more. The seed decides who starts
// under [FirstRandom]: the same seed, the same starters. The error is an
// [ErrRules], [ErrPoints] or [ErrFirst].
func NewMatch(r Rules, points int, first First, seed uint64) (Match, error) {
	if err := r.Check(); err != nil {
		return Match{}, err
	}
	if points < 1 {
		return Match{}, fmt.Errorf("%w: %d", ErrPoints, points)
	}
	m := Match{rules: r, target: points, first: first}
	switch first {
	case FirstYellow:
		m.starter = Yellow
	case FirstRandom:
		m.seed = seed
		m.starter = m.draw()
	case FirstRed, FirstAlternate, FirstLoser:
		m.starter = Red
	default:
		return Match{}, fmt.Errorf("%w: %v", ErrFirst, first)
	}
	return m, nil
}

// Record enters a round that is over and says who starts the next. The error is
// [ErrRoundOpen], [ErrMatchOver] or, for a game by other rules or with another
// starter, [ErrRound]; the match returned with it is the old one.
func (m Match) Record(g Game) (Match, error) {
	outcome := g.position.Outcome()
	switch {
	case outcome == Playing:
		return m, ErrRoundOpen
	case m.Winner() != Empty:
		return m, ErrMatchOver
	case g.position.Rules() != m.rules || g.Starter() != m.starter:
		return m, ErrRound
	}
	winner := outcome.Winner()
	if winner != Empty {
		m.points[winner-Red]++
	}
	m.rounds++
	m.games += g.String() + ","
	switch {
	case m.first == FirstRandom:
		m.starter = m.draw()
	case m.first == FirstAlternate, m.first == FirstLoser && winner == Empty:
		m.starter = m.starter.Other()
	case m.first == FirstLoser:
		m.starter = winner.Other()
	}
	return m, nil
}

// draw is who starts the next round by chance. It depends on the seed and the
// round alone, so a match that is rebuilt from its rounds has the same starters.
func (m Match) draw() Disc {
	return Red + Disc(rand.NewPCG(m.seed, uint64(m.rounds)).Uint64()&1)
}

// Rules are the rules of every round.
func (m Match) Rules() Rules { return m.rules }

// First is the rule that says who starts a round.
func (m Match) First() First { return m.first }

// Seed is what decides who starts under [FirstRandom]; else 0.
func (m Match) Seed() uint64 { return m.seed }

// Target is the number of points that win the match.
func (m Match) Target() int { return m.target }

// Points is what a player has won so far, 0 to [Match.Target]; of Empty it is 0.
func (m Match) Points(d Disc) int {
	if d != Red && d != Yellow {
		return 0
	}
	return m.points[d-Red]
}

// Rounds is the number of rounds that are over, from 0, draws included.
func (m Match) Rounds() int { return m.rounds }

// Games are the moves of the rounds that are over, "4453" and so on, as
// [ParseMatch] reads them.
func (m Match) Games() []string {
	if m.games == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(m.games, ","), ",")
}

// Starter is the player who starts the round to be played now.
func (m Match) Starter() Disc { return m.starter }

// Winner is the player who has the points; Empty until then.
func (m Match) Winner() Disc {
	switch {
	case m.target == 0:
	case m.points[0] >= m.target:
		return Red
	case m.points[1] >= m.target:
		return Yellow
	}
	return Empty
}

// NewGame is the empty board of the round to be played now.
func (m Match) NewGame() Game {
	g, _ := NewGame(m.rules, m.starter) // the rules were checked when the match was made
	return g
}
