package board

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// First is the rule for who starts each game of a match.
type First uint8

// The rules for who starts. Under FirstAlternate and FirstLoser, red starts the first game.
const (
	FirstRed       First = iota // red, always
	FirstYellow                 // yellow, always
	FirstAlternate              // the players in turn
	FirstLoser                  // the loser of the last game; after a draw, the player who did not start it
	FirstRandom                 // chosen at random for each game
)

var firstNames = [...]string{"red", "yellow", "alternate", "loser", "random"}

// Errors of a match.
var (
	ErrFirst     = errors.New("board: unknown rule for who starts")
	ErrPoints    = errors.New("board: a match needs at least one point")
	ErrMatchOver = errors.New("board: the match is over")
	ErrGameOpen  = errors.New("board: the game is not over")
	ErrOtherGame = errors.New("board: not a game of this match")
)

// ParseFirst parses a rule's name, as in "alternate". The error is an [ErrFirst].
func ParseFirst(s string) (First, error) {
	if f := slices.Index(firstNames[:], s); f >= 0 {
		return First(f), nil
	}
	return 0, fmt.Errorf("%w: %.20q; use red, yellow, alternate, loser or random", ErrFirst, s)
}

// String returns the rule's name.
func (f First) String() string {
	if int(f) < len(firstNames) {
		return firstNames[f]
	}
	return fmt.Sprintf("First(%d)", uint8(f))
}

// Match is a series of games with a point for each win, until a player has the points that win the
// match. It keeps the moves of its games, so that it can be stored and parsed again. Matches are
// comparable values: [Match.Record] returns a new one.
type Match struct {
	rules   Rules
	target  int
	first   First
	seed    uint64
	points  [2]int
	played  int // games that are over
	starter Disc
	games   string // the notation of each game, followed by a comma
}

// NewMatch returns a match that a player wins with the given points, at least 1. Under
// [FirstRandom] the seed decides who starts. The error is [ErrRules], [ErrPoints] or [ErrFirst].
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

// Record returns the match with a finished game added. The error, which leaves it unchanged, is
// [ErrGameOpen], [ErrMatchOver] or, for a game with other rules or another starter, [ErrOtherGame].
func (m Match) Record(g Game) (Match, error) {
	outcome := g.position.Outcome()
	switch {
	case outcome == Playing:
		return m, ErrGameOpen
	case m.Winner() != Empty:
		return m, ErrMatchOver
	case g.position.Rules() != m.rules || g.Starter() != m.starter:
		return m, ErrOtherGame
	}
	winner := outcome.Winner()
	if winner != Empty {
		m.points[winner-Red]++
	}
	m.played++
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

// draw returns the random starter of the next game. The starter depends only on the seed and the
// number of games that are over, so that a parsed match has the same starters.
func (m Match) draw() Disc {
	return Red + Disc(rand.NewPCG(m.seed, uint64(m.played)).Uint64()&1)
}

// Rules returns the rules of every game.
func (m Match) Rules() Rules { return m.rules }

// First returns the rule for who starts.
func (m Match) First() First { return m.first }

// Seed returns the seed under [FirstRandom], otherwise 0.
func (m Match) Seed() uint64 { return m.seed }

// Target returns the number of points that win the match.
func (m Match) Target() int { return m.target }

// Points returns the score of a player, 0 to [Match.Target]. Empty has 0.
func (m Match) Points(d Disc) int {
	if d != Red && d != Yellow {
		return 0
	}
	return m.points[d-Red]
}

// Played returns the number of games that are over, draws included.
func (m Match) Played() int { return m.played }

// Games returns the notation of the games that are over, in the form that [ParseMatch] reads.
func (m Match) Games() []string {
	if m.games == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(m.games, ","), ",")
}

// Starter returns the player who starts the next game.
func (m Match) Starter() Disc { return m.starter }

// Winner returns the player who has won the match, or Empty until then.
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

// NewGame returns the next game, before its first move.
func (m Match) NewGame() Game {
	g, _ := NewGame(m.rules, m.starter) // NewMatch has checked the rules
	return g
}
