package site

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/analysis"
	"github.com/c4hat/c4hat/internal/computer"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/c4hat/c4hat/internal/solver"
	"github.com/c4hat/c4hat/internal/wire"
)

// question is what a game asks a [Brain], which is elsewhere: the kind says what for.
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

// about returns a question about a game.
func about(kind string, g board.Game) question {
	position := g.Position()
	return question{Kind: kind, Rules: position.Rules(), Starter: g.Starter(), Moves: g.String()}
}

// reply answers a question.
type reply struct {
	Column   int
	Advice   game.Advice
	Plies    []int
	Verdicts []game.Verdict

	// A puzzle. A game says its moves in JSON as little as a position does.
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

// Think implements [loop.Computer], as the methods below do.
func (c Carry) Think(ctx context.Context, t game.Think) (int, error) {
	q := about(kindThink, t.Game)
	q.Level, q.Seed = int(t.Level), t.Seed
	r, err := c.ask(ctx, q)
	return r.Column, err
}

func (c Carry) Advise(ctx context.Context, g board.Game) (game.Advice, error) {
	r, err := c.ask(ctx, about(kindAdvise, g))
	return r.Advice, err
}

func (c Carry) Review(ctx context.Context, r game.Review, judged func(int, game.Verdict)) error {
	q := about(kindReview, r.Game)
	q.Opening = r.Opening
	answer, err := c.ask(ctx, q)
	for i, ply := range answer.Plies {
		judged(ply, answer.Verdicts[i])
	}
	return err
}

func (c Carry) Compose(ctx context.Context, p game.Compose) (game.Puzzle, error) {
	r, err := c.ask(ctx, question{Kind: kindCompose, Discs: p.Discs, Seed: p.Seed, Rules: board.Standard, Starter: board.Red})
	if err == nil {
		r.Puzzle.Game, err = board.ParseGame(board.Standard, r.Starter, r.Moves)
	}
	return r.Puzzle, err
}

func (Carry) Rest() {}

// Brain answers questions. A page has it beside the game: it takes its time, and nothing else
// runs meanwhile where Go is WebAssembly.
type Brain struct{ computer computer.Computer }

// Answer answers a question that [Carry] carries.
func (b *Brain) Answer(ctx context.Context, text []byte) ([]byte, error) {
	var q question
	if err := json.Unmarshal(text, &q); err != nil {
		return nil, err
	}
	g, err := board.ParseGame(q.Rules, q.Starter, q.Moves)
	if err != nil {
		return nil, err
	}
	var r reply
	switch q.Kind {
	case kindThink:
		r.Column, err = b.computer.Think(ctx, game.Think{Game: g, Level: levels.Level(q.Level), Seed: q.Seed})
	case kindAdvise:
		r.Advice, err = b.computer.Advise(ctx, g)
	case kindReview:
		err = b.computer.Review(ctx, game.Review{Game: g, Opening: q.Opening}, func(ply int, v game.Verdict) {
			r.Plies, r.Verdicts = append(r.Plies, ply), append(r.Verdicts, v)
		})
	case kindCompose:
		r.Puzzle, err = b.computer.Compose(ctx, game.Compose{Discs: q.Discs, Seed: q.Seed})
		r.Starter, r.Moves = r.Puzzle.Game.Starter(), r.Puzzle.Game.String()
	default:
		err = fmt.Errorf("unknown question %q", q.Kind)
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
