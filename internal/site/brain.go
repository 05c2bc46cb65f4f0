package site

import (
	"context"
	"encoding/json"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/analysis"
	"github.com/c4hat/c4hat/internal/cpu"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/c4hat/c4hat/internal/solver"
	"github.com/c4hat/c4hat/internal/wire"
)

// Question is what a game wants to know of a [Brain]: the computer's column at a level, or
// with level 0 what each column is worth.
type Question struct {
	Rules   board.Rules
	Starter board.Disc
	Moves   string
	Level   int
	Seed    uint64 `json:",string"`
}

// Reply answers a [Question].
type Reply struct {
	Column int
	Advice game.Advice
}

// Ask returns the question about a game.
func Ask(g board.Game, level levels.Level, seed uint64) Question {
	position := g.Position()
	return Question{position.Rules(), g.Starter(), g.String(), int(level), seed}
}

// Brain answers questions. A page has it beside the game: it takes its time, and nothing else
// runs meanwhile where Go is WebAssembly.
type Brain struct{ player cpu.Player }

// Answer answers a [Question], in JSON.
func (b *Brain) Answer(ctx context.Context, question []byte) ([]byte, error) {
	var q Question
	if err := json.Unmarshal(question, &q); err != nil {
		return nil, err
	}
	g, err := board.ParseGame(q.Rules, q.Starter, q.Moves)
	if err != nil {
		return nil, err
	}
	var r Reply
	if q.Level > 0 {
		r.Column, err = b.player.Choose(ctx, levels.Level(q.Level), g.Position(), q.Seed)
	} else {
		r.Advice.Score, r.Advice.Exact, err = b.player.Advise(ctx, g.Position())
	}
	return marshal(r, err)
}

// Analyse answers a request for an analysis, see [wire.ReadAnalyse].
func (b *Brain) Analyse(ctx context.Context, body []byte) ([]byte, error) {
	g, from, err := wire.ReadAnalyse(body)
	if err != nil {
		return nil, err
	}
	return marshal(analysis.New(solver.Options{}).Report(ctx, g, from, nil))
}

func marshal(doc any, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return json.Marshal(doc)
}
