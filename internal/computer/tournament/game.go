package tournament

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

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
	Why     string  `json:"why,omitempty"`    // which disc decided the game; with [Options.Page]
	Kept    *[2]int `json:"kept,omitempty"`   // moves that kept the score; only with four in a line
	Judged  *[2]int `json:"judged,omitempty"` // moves whose score is known, if not all

	// In games of programs: what each move took, in milliseconds.
	Took *[2][]float64 `json:"ms,omitempty"`

	players [2]*Player
	chance  uint64     // what decides the moves of levels
	played  board.Game // so far
	said    string     // what the programs wrote to their standard error
}

// key tells the pairs of a tournament apart, and with a number their games, whatever the order of the players.
type key struct {
	first, second string // in the order of the alphabet
	number        int
}

func keyOf(a, b string, number int) key { return key{min(a, b), max(a, b), number} }

func (g *Game) key() key { return keyOf(g.Red, g.Yellow, g.Number) }

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
	return map[string]board.Disc{"red": board.Red, "yellow": board.Yellow}[g.Result]
}

// ending says who has played, and how the game ended.
func (g *Game) ending() string {
	text := g.Red + " against " + g.Yellow + ": " + map[string]string{"red": g.Red + " wins", "yellow": g.Yellow + " wins", "draw": "a draw"}[g.Result]
	if g.Fault != "" {
		text += " by a fault"
	}
	return text
}

var discs = [2]board.Disc{board.Red, board.Yellow}

// worker plays games, one at a time.
type worker struct {
	*Options
	computer computer.Computer
	analyst  *analysis.Analyst
}

func newWorker(o *Options) *worker {
	return &worker{Options: o, computer: computer.Computer{Table: o.Table}}
}

// play plays a game to its end. The error is the context's.
func (w *worker) play(ctx context.Context, g *Game) (*Game, error) {
	loser, err := w.moves(ctx, g)
	g.Moves, g.Result = g.played.String(), "draw"
	if winner := g.played.Position().Outcome().Winner(); err != nil {
		g.Fault, g.Result = g.players[loser].Name+" "+err.Error(), discs[1-loser].String()
	} else if winner != board.Empty {
		g.Result = winner.String()
	}
	if ctx.Err() == nil && w.Rules.Connect == board.Standard.Connect {
		w.judge(ctx, g)
		w.explain(ctx, g)
	}
	return g, context.Cause(ctx)
}

// moves plays the moves of a game. After a fault, it returns the loser's side too.
func (w *worker) moves(ctx context.Context, g *Game) (loser int, fault error) {
	var programs [2]*bot.Program
	for side, p := range g.players {
		if !p.isProgram() {
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
			return side, fmt.Errorf("did not start: %w", err)
		}
		programs[side] = program
		defer func() {
			wrote := program.Close()
			if fault != nil && loser == side {
				g.Wrote = wrote
			}
			if log.Len() > 0 {
				g.said += fmt.Sprintf("== game %d, %s against %s: %s\n%s\n", g.Number, g.Red, g.Yellow, p.Name, bytes.TrimRight(log.Bytes(), "\n"))
			}
		}()
	}
	if programs[0] != nil && programs[1] != nil {
		programs[0].Rival, programs[1].Rival = programs[1], programs[0]
	}
	for g.played.Position().Outcome() == board.Playing && ctx.Err() == nil {
		side := int(g.played.Position().Turn() - board.Red)
		col, err := 0, error(nil)
		if programs[side] == nil { // a different choice at each ply
			col, err = w.computer.Choose(ctx, g.players[side].Level, g.played.Position(), g.chance)
		} else {
			side, col, err = g.ask(ctx, programs, side)
		}
		if err != nil {
			return side, err
		}
		_ = g.played.Play(col) // it is legal
	}
	return 0, nil
}

// ask asks a program for its column. The error is a fault, of the side that is returned.
func (g *Game) ask(ctx context.Context, programs [2]*bot.Program, side int) (int, int, error) {
	asked, rival := programs[side], programs[1-side]
	col, err := asked.Choose(ctx, g.played)
	first := g.played.Position().Ply() < len(g.Opening)+2 // with the program's start
	late := errors.Is(err, bot.ErrLate)
	if first && late {
		g.players[side].hangs.Store(true)
	}
	if err == nil && !first || late {
		g.Took[side] = append(g.Took[side], math.Round(asked.Took.Seconds()*1e6)/1e3)
	}
	if err != nil && rival != nil && rival.Crowded() != nil { // perhaps that is why
		return 1 - side, 0, rival.Crowded()
	}
	return side, col, err
}

// judge counts each side's moves that kept the position's score: no other column was better. It
// starts with the last move, because what the solver learns from late positions makes it faster on
// the early ones, and ends where the solver does not find the score.
func (w *worker) judge(ctx context.Context, g *Game) {
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
		g.Judged = &judged
	}
}

// explain says which discs decided a game, unless a fault ended it. Late positions are solved quickly, so it
// looks from the end.
func (w *worker) explain(ctx context.Context, g *Game) {
	if w.Page == "" || g.Why != "" || g.Fault != "" || w.Rules.Connect != board.Standard.Connect {
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
