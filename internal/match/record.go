// Package match has the terms and the moves of a match, running or finished, and its JSON.
package match

import (
	"iter"

	"github.com/c4hat/c4hat/board"
)

// Record has everything that is needed to resume a match. Records are comparable.
type Record struct {
	ID       string      // unique and permanent: 1 to 64 of a-z, 0-9 and '-'
	Match    board.Match // as it was before Game or, if Counted, after it
	Game     board.Game  // the round being played, or the one that has just ended
	Counted  bool        // the round is over, and Match includes its points
	Opening  int         // discs on the board when the first round started
	Computer board.Disc  // the side that the computer plays; Empty between two people
	Level    Level       // the computer's level; 0 between two people
	Left     bool        // its players have left it for the menu, which offers to resume it
	Programs [2]string   // the names of the programs that have dropped discs, red's first
}

// Rounds returns the notation of each round. The last round is Game.
func (r Record) Rounds() []string {
	if r.Counted {
		return r.Match.Games()
	}
	return append(r.Match.Games(), r.Game.String())
}

// Round returns the number of the last round, from 1.
func (r Record) Round() int { return len(r.Rounds()) }

// Start returns the match before its first disc.
func (r Record) Start() Record {
	m := r.Match
	r.Match, _ = board.NewMatch(m.Rules(), m.Target(), m.First(), m.Seed()) // a record's match is valid
	r.Game, r.Counted = r.Match.NewGame(), false
	return r
}

// Replay yields each round as a game, with the match as it was before that round. The last round
// may be unfinished or empty.
func (r Record) Replay() iter.Seq2[board.Match, board.Game] {
	return func(yield func(board.Match, board.Game) bool) {
		m := r.Start().Match
		for _, moves := range r.Rounds() {
			g, err := board.ParseGame(m.Rules(), m.Starter(), moves)
			if err != nil || !yield(m, g) { // a record's moves were played
				return
			}
			m, _ = m.Record(g) // fails only for the last one, if it is unfinished
		}
	}
}

// Games returns each round as a game; see [Record.Replay].
func (r Record) Games() (games []board.Game) {
	for _, g := range r.Replay() {
		games = append(games, g)
	}
	return games
}

// OpeningOf returns how many discs were on the board before a round. Rounds are numbered from 0.
func (r Record) OpeningOf(round int) int {
	if round > 0 {
		return 0
	}
	return r.Opening
}

// Discs returns the number of discs dropped in all rounds, including those of the opening.
func (r Record) Discs() (n int) {
	for _, moves := range r.Rounds() {
		n += len(moves)
	}
	return n
}

// Begun reports whether a disc was dropped, apart from those of the opening.
func (r Record) Begun() bool {
	return r.Match.Played() > 0 || r.Game.Position().Ply() > r.Opening
}

// Ended returns the last round if it is over and the next one has no disc yet; otherwise
// ok is false.
func (r Record) Ended() (g board.Game, ok bool) {
	g = r.Game
	if g.Position().Ply() == 0 { // the previous round has ended, if there is one
		r.Counted = true // leaves out the empty round
		for _, last := range r.Replay() {
			g = last
		}
	}
	return g, g.Position().Outcome() != board.Playing
}

// Count returns the record with its last round counted if that round is over.
func (r Record) Count() Record {
	if !r.Counted {
		match, err := r.Match.Record(r.Game)
		r.Match, r.Counted = match, err == nil
	}
	return r
}

// Setup returns the setup of the match, without its opening.
func (r Record) Setup() Setup {
	return Setup{
		Rules: r.Match.Rules(), Points: r.Match.Target(), First: r.Match.First(),
		Computer: r.Computer, Level: r.Level,
	}
}
