package api

import (
	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/words"
)

// You tells a page what it may do.
type You struct {
	Press  bool     `json:"press"`
	Pair   bool     `json:"pair"`   // whether it may ask to be paired
	Closed bool     `json:"closed"` // whether it may not watch
	Alone  bool     `json:"alone"`  // whether there is no HAT, so that only browsers move the cursor
	Host   string   `json:"host"`   // the name of the machine
	Levels []string `json:"levels"`
}

// Past is a finished match for the page. The page does not know the rules, so Past says who started
// and who won each round.
type Past struct {
	Match   match.Finished `json:"match"`
	Rounds  []Round        `json:"rounds"`
	Result  string         `json:"result"`  // how the match ended
	Players string         `json:"players"` // and who played it, in words
}

// Round is a round of a finished match, for the page.
type Round struct {
	Moves  string `json:"moves"`
	Starts string `json:"starts"`           // a player
	Winner string `json:"winner,omitempty"` // a player or "draw"; empty if the round was ended early
	Begin  string `json:"begin"`            // its start in words
	End    string `json:"end,omitempty"`    // and its end
	Line   []int  `json:"line,omitempty"`   // the LEDs of the winning line, from 0 at the top left
}

// NewPast returns a match for the page. A round without a disc is left out.
func NewPast(f match.Finished) Past {
	p := Past{Match: f, Rounds: []Round{}, Result: words.Result(f.Record), Players: words.Players(f.Record)}
	for m, g := range f.Replay() {
		if g.String() == "" {
			continue
		}
		rules, outcome := m.Rules(), g.Position().Outcome()
		begin := match.Record{Match: m, Game: m.NewGame()}
		round := Round{Moves: g.String(), Starts: rules.Name(g.Starter()), Begin: words.Starts(begin, m.Played()+1)}
		if outcome != board.Playing {
			after, _ := m.Record(g) // the round is over
			round.End = words.Round(after, outcome, board.Empty)
			round.Winner = "draw"
			for i := range 64 {
				if g.Position().Lines().Has(i%8, 7-i/8) {
					round.Line = append(round.Line, i)
				}
			}
			if outcome != board.Draw {
				round.Winner = rules.Name(outcome.Winner())
			}
		}
		p.Rounds = append(p.Rounds, round)
	}
	return p
}
