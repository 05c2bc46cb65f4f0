package site

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/analysis"
	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/computer"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/levels"
)

// question is what a game asks a [Brain] in another worker. Kind is the type of question.
type question struct {
	Kind    string
	Rules   board.Rules
	Starter board.Disc
	Moves   string
	Level   int    `json:",omitempty"`
	Seed    uint64 `json:",string"`
	Opening int    `json:",omitempty"`
	Discs   int    `json:",omitempty"`
}

const (
	kindThink   = "think"
	kindAdvise  = "advise"
	kindReview  = "review"
	kindCompose = "compose"
)

func about(kind string, g board.Game) question {
	return question{Kind: kind, Rules: g.Position().Rules(), Starter: g.Starter(), Moves: g.String()}
}

type reply struct {
	Column   int
	Advice   game.Advice
	Verdicts []game.Judged

	// A puzzle. Starter and Moves describe its game, because board.Game has no exported fields.
	Starter board.Disc
	Moves   string
	Puzzle  game.Puzzle
}

// Carry carries a question to a [Brain] and returns its answer.
type Carry func(ctx context.Context, question []byte) (answer []byte, err error)

func (c Carry) ask(ctx context.Context, q question) (r reply, err error) {
	text, err := json.Marshal(q)
	if err == nil {
		text, err = c(ctx, text)
	}
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	return r, err
}

// Answer implements [session.Computer].
func (c Carry) Answer(ctx context.Context, asked game.Question, send func(game.Event)) (game.Event, error) {
	switch asked := asked.(type) {
	case game.Think:
		q := about(kindThink, asked.Game)
		q.Level, q.Seed = int(asked.Level), asked.Seed
		r, err := c.ask(ctx, q)
		return game.Chosen{ID: asked.ID, Col: r.Column}, err
	case game.Advise:
		r, err := c.ask(ctx, about(kindAdvise, asked.Game))
		return game.Advised{ID: asked.ID, Advice: r.Advice}, err
	case game.Review:
		q := about(kindReview, asked.Game)
		q.Opening = asked.Opening
		r, err := c.ask(ctx, q)
		for _, v := range r.Verdicts {
			v.ID = asked.ID
			send(v)
		}
		return asked.Done(), err
	case game.Compose:
		r, err := c.ask(ctx, question{Kind: kindCompose, Discs: asked.Discs, Seed: asked.Seed, Rules: board.Standard, Starter: board.Red})
		if err == nil {
			r.Puzzle.Game, err = board.ParseGame(board.Standard, r.Starter, r.Moves)
		}
		return game.Composed{ID: asked.ID, Puzzle: r.Puzzle}, err
	}
	return asked.Done(), nil
}

// Rest implements [session.Computer].
func (Carry) Rest() {}

// Brain is the computer: it chooses columns, gives hints, analyses matches and makes puzzles. A
// page runs it in a separate worker, because an answer takes time and a WebAssembly program can do
// nothing else until it has the answer.
type Brain struct{ computer computer.Computer }

// Answer answers a question from a [Carry].
func (b *Brain) Answer(ctx context.Context, text []byte) ([]byte, error) {
	var q question
	if err := json.Unmarshal(text, &q); err != nil {
		return nil, err
	}
	g, err := board.ParseGame(q.Rules, q.Starter, q.Moves)
	if err != nil {
		return nil, err
	}
	asked, ok := map[string]game.Question{
		kindThink:   game.Think{Game: g, Level: levels.Level(q.Level), Seed: q.Seed},
		kindAdvise:  game.Advise{Game: g},
		kindReview:  game.Review{Game: g, Opening: q.Opening},
		kindCompose: game.Compose{Discs: q.Discs, Seed: q.Seed},
	}[q.Kind]
	if !ok {
		return nil, fmt.Errorf("unknown question %q", q.Kind)
	}
	var r reply
	answer, err := b.computer.Answer(ctx, asked, func(ev game.Event) {
		r.Verdicts = append(r.Verdicts, ev.(game.Judged))
	})
	switch ev := answer.(type) {
	case game.Chosen:
		r.Column = ev.Col
	case game.Advised:
		r.Advice = ev.Advice
	case game.Composed:
		r.Puzzle, r.Starter, r.Moves = ev.Puzzle, ev.Puzzle.Game.Starter(), ev.Puzzle.Game.String()
	}
	return marshal(r, err)
}

// Analyse answers a request for an analysis, see [api.ReadAnalyse].
func (b *Brain) Analyse(ctx context.Context, body []byte) ([]byte, error) {
	g, from, err := api.ReadAnalyse(body)
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
