package site

import (
	"context"
	"encoding/json"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/computer"
	"github.com/c4hat/c4hat/internal/computer/analysis"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/api"
)

// question is what a game asks a [Brain] in another worker. A [board.Game] has no exported fields, so its moves
// and what goes before them are beside it, also in a reply.
type question struct {
	game.Question
	moves
}

type reply struct {
	game.Answered
	moves
	Verdicts []game.Answered
}

type moves struct {
	Rules   board.Rules
	Starter board.Disc
	Moves   string
}

func movesOf(g board.Game) moves { return moves{g.Position().Rules(), g.Starter(), g.String()} }

func (m moves) game() (board.Game, error) { return board.ParseGame(m.Rules, m.Starter, m.Moves) }

// Carry carries a question to a [Brain] and returns its answer.
type Carry func(ctx context.Context, question []byte) (answer []byte, err error)

// Answer implements [session.Computer].
func (c Carry) Answer(ctx context.Context, asked game.Question, send func(game.Event)) (game.Answered, error) {
	var r reply
	text, err := json.Marshal(question{asked, movesOf(asked.Game)})
	if err == nil {
		text, err = c(ctx, text)
	}
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err == nil && asked.Kind == game.Compose {
		r.Puzzle.Game, err = r.game()
	}
	for _, verdict := range r.Verdicts {
		send(verdict)
	}
	return r.Answered, err
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
	err := json.Unmarshal(text, &q)
	if err == nil && q.Kind != game.Compose {
		q.Game, err = q.game()
	}
	if err != nil {
		return nil, err
	}
	var r reply
	r.Answered, err = b.computer.Answer(ctx, q.Question, func(ev game.Event) {
		r.Verdicts = append(r.Verdicts, ev.(game.Answered))
	})
	r.moves = movesOf(r.Puzzle.Game)
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
