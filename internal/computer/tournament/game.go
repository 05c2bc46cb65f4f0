package tournament

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/computer"
	"github.com/c4hat/c4hat/internal/computer/analysis"
	"github.com/c4hat/c4hat/internal/front/bot"
)

// Game is a game that is over, as it is recorded. Fields with two elements have red first, then
// yellow.
type Game struct {
	Seed    uint64  `json:"seed,string"` // of the tournament
	Number  int     `json:"game"`        // the game's number among those of its pair, from 1
	Red     string  `json:"red"`
	Yellow  string  `json:"yellow"`
	Board   string  `json:"board,omitempty"`   // its size, unless it is 7x6
	Connect int     `json:"connect,omitempty"` // discs in a line that win, unless they are four
	Opening string  `json:"opening"`
	Moves   string  `json:"moves"`            // including the opening
	Result  string  `json:"result"`           // red, yellow or draw
	Fault   string  `json:"fault,omitempty"`  // why the loser could not play on
	Wrote   string  `json:"wrote,omitempty"`  // the end of what that loser wrote to its standard error
	Why     string  `json:"why,omitempty"`    // which disc decided the game; with [Options.Why]
	Kept    *[2]int `json:"kept,omitempty"`   // moves that kept the score; only with four in a line
	Judged  *[2]int `json:"judged,omitempty"` // moves whose score is known, if not all

	// In games of programs: what each move took, in milliseconds.
	Took *[2][]float64 `json:"ms,omitempty"`

	played board.Game
	said   string // what the programs wrote to their standard error
}

// parseGame reads a line of a record.
func parseGame(line []byte) (*Game, error) {
	g, rules, err := new(Game), board.Standard, error(nil)
	if json.Unmarshal(line, g) == nil && g.Result != "" && strings.HasPrefix(g.Moves, g.Opening) {
		if g.Board != "" {
			rules.Columns, rules.Rows, err = board.ParseSize(g.Board)
		}
		if g.Connect != 0 {
			rules.Connect = g.Connect
		}
		if err == nil {
			if g.played, err = board.ParseGame(rules, board.Red, g.Moves); err == nil {
				return g, nil
			}
		}
	}
	return nil, errors.New("not a game of a tournament's record")
}

func (g *Game) winner() board.Disc {
	for _, d := range discs {
		if g.Result == d.String() {
			return d
		}
	}
	return board.Empty
}

var discs = [2]board.Disc{board.Red, board.Yellow}

// mostWrote is how many lines [Game.Wrote] has: a traceback in Python fits.
const mostWrote = 20

// worker plays games, one at a time.
type worker struct {
	Options
	computer computer.Computer
	analyst  *analysis.Analyst
}

// play plays a game. The error is the context's.
func (w *worker) play(ctx context.Context, f fixture, _ show) (*Game, error) {
	g := &Game{Seed: w.Seed, Number: f.number, Red: f.players[0].Name, Yellow: f.players[1].Name, Opening: f.opening.String(), played: f.opening}
	if r := w.Rules; r.Columns != board.Standard.Columns || r.Rows != board.Standard.Rows {
		g.Board = fmt.Sprintf("%dx%d", r.Columns, r.Rows)
	}
	if w.Rules.Connect != board.Standard.Connect {
		g.Connect = w.Rules.Connect
	}
	if err := w.moves(ctx, f, g); err != nil {
		return nil, err
	}
	g.Moves = g.played.String()
	if g.Fault == "" {
		g.Result = "draw"
		if winner := g.played.Position().Outcome().Winner(); winner != board.Empty {
			g.Result = winner.String()
		}
	}
	if w.Rules.Connect == board.Standard.Connect {
		if err := w.judge(ctx, g); err != nil {
			return nil, err
		}
		w.explain(ctx, g)
	}
	return g, context.Cause(ctx)
}

// moves plays the moves of a game. After a fault, it sets the game's result too.
func (w *worker) moves(ctx context.Context, f fixture, g *Game) error {
	var choose [2]func(context.Context, board.Game) (int, error)
	var programs [2]*bot.Program
	for side, p := range f.players {
		if !p.isProgram() {
			choose[side] = func(ctx context.Context, g board.Game) (int, error) {
				return w.computer.Choose(ctx, p.Level, g.Position(), f.seed) // a different choice at each ply
			}
			continue
		}
		if g.Took == nil {
			g.Took = new([2][]float64)
		}
		var log bytes.Buffer
		o := bot.Options{Rules: w.Rules, Player: discs[side], MoveTime: w.MoveTime, StartTime: w.StartTime, Log: &log}
		if p.hangs.Load() {
			o.StartTime = 0
		}
		program, err := bot.Start(p.Command, o)
		if err != nil {
			choose[side] = func(context.Context, board.Game) (int, error) { return 0, fmt.Errorf("did not start: %w", err) }
			continue
		}
		choose[side], programs[side] = program.Choose, program
		defer func() {
			wrote := strings.Split(program.Close(), "\n")
			if g.Fault != "" && g.winner() != discs[side] {
				g.Wrote = strings.Join(wrote[max(len(wrote)-mostWrote, 0):], "\n")
			}
			if log.Len() > 0 {
				g.said += fmt.Sprintf("== game %d, %s against %s: %s\n%s\n", g.Number, g.Red, g.Yellow, p.Name, bytes.TrimRight(log.Bytes(), "\n"))
			}
		}()
	}
	if programs[0] != nil && programs[1] != nil {
		programs[0].Rival, programs[1].Rival = programs[1], programs[0]
	}
	for {
		position := g.played.Position()
		if position.Outcome() != board.Playing {
			return nil
		}
		side := int(position.Turn() - board.Red)
		col, err := choose[side](ctx, g.played)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if p := programs[side]; p != nil {
			first := position.Ply() < len(g.Opening)+2 // with the program's start
			if first && errors.Is(err, bot.ErrLate) {
				f.players[side].hangs.Store(true)
			}
			if err == nil && !first || errors.Is(err, bot.ErrLate) {
				g.Took[side] = append(g.Took[side], milliseconds(p.Took))
			}
		}
		if crowd := programs[side].Crowded(); crowd != nil {
			err = crowd
		} else if err != nil {
			if crowd := programs[1-side].Crowded(); crowd != nil { // perhaps that is why
				side, err = 1-side, crowd
			}
		}
		if err != nil {
			g.Fault, g.Result = f.players[side].Name+" "+err.Error(), discs[1-side].String()
			return nil
		}
		_ = g.played.Play(col) // it is legal
	}
}

// milliseconds returns a time with three digits after the point.
func milliseconds(d time.Duration) float64 { return math.Round(d.Seconds()*1e6) / 1e3 }

// judge counts each side's moves that kept the position's score: no other column was better. It
// starts with the last move, because what the solver learns from late positions makes it faster on
// the early ones, and ends where the solver does not find the score.
func (w *worker) judge(ctx context.Context, g *Game) error {
	if w.Rules != board.Standard {
		w.computer.Forget()
	}
	state, after, err := g.played, 0, error(nil) // after: the score of the position for the side to move
	if position := state.Position(); position.Outcome().Winner() == board.Empty {
		after, err = w.computer.Score(ctx, position)
	} else { // with the last disc, so no other column had a better score
		after = -(position.Rules().Cells() - position.Ply() + 2) / 2
	}
	var kept, judged [2]int
	for err == nil && state.Position().Ply() > len(g.Opening) {
		_ = state.Undo() // there is a move
		var before int
		if before, err = w.computer.Score(ctx, state.Position()); err == nil {
			side := state.Position().Turn() - board.Red
			judged[side]++
			if before == -after {
				kept[side]++
			}
			after = before
		}
	}
	g.Kept = &kept
	if errors.Is(err, solver.ErrNodes) {
		g.Judged, err = &judged, nil
	}
	return err
}

// explain says which discs decided a game, unless a fault ended it. Late positions are solved quickly, so it
// looks from the end.
func (w *worker) explain(ctx context.Context, g *Game) {
	if !w.Options.Why || g.Why != "" || g.Fault != "" || w.Rules.Connect != board.Standard.Connect {
		return
	}
	if w.analyst == nil {
		w.analyst = analysis.New(solver.Options{Table: 16 << 20})
	}
	for d, err := range w.analyst.Discs(ctx, g.played, len(g.Opening)) {
		if err != nil {
			return
		}
		if g.Why = strings.TrimSpace(d.Story() + " " + g.Why); d.Changed() || !d.Known {
			return
		}
	}
}
