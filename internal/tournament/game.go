package tournament

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/analysis"
	"github.com/c4hat/c4hat/internal/bot"
	"github.com/c4hat/c4hat/internal/computer"
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
	Why     string  `json:"why,omitempty"`    // which disc decided the game; with [Options.Keep]
	Kept    *[2]int `json:"kept,omitempty"`   // moves that kept the score; only with four in a line
	Judged  *[2]int `json:"judged,omitempty"` // moves whose score is known, if not all

	// In games of programs: what tells if one changes; what each move took, in milliseconds, as it
	// counts for the program; and the longest one by the clock.
	Digests [2]string     `json:"digests,omitzero"` // [bot.Command.Digest]; a level has none
	Took    *[2][]float64 `json:"ms,omitempty"`
	Clock   *[2]float64   `json:"clock_ms,omitempty"`

	said    string // what the programs wrote to their standard error
	fixture fixture
}

func (g *Game) Key() Key { return newKey(g.Red, g.Yellow, g.Number) }

func (g *Game) winner() board.Disc {
	for _, d := range discs {
		if g.Result == d.String() {
			return d
		}
	}
	return board.Empty
}

// ending says how the game has ended.
func (g *Game) ending() string {
	return cmp.Or(map[board.Disc]string{board.Red: g.Red + " wins", board.Yellow: g.Yellow + " wins"}[g.winner()], "a draw")
}

// chosen returns how many moves a side has chosen.
func (g *Game) chosen(side int) int {
	return (len(g.Moves)+1-side)/2 - (len(g.Opening)+1-side)/2
}

var discs = [2]board.Disc{board.Red, board.Yellow}

// mostWrote is how many lines [Game.Wrote] has: a traceback in Python fits.
const mostWrote = 20

type worker struct {
	Options
	computer computer.Computer
	analyst  *analysis.Analyst
}

// play plays a game. The error is the context's.
func (w *worker) play(ctx context.Context, f fixture) (*Game, error) {
	g := &Game{Seed: w.Seed, Number: f.number + 1, Red: f.players[0].Name, Yellow: f.players[1].Name, Opening: f.opening.String(), fixture: f}
	g.Digests = [2]string{f.players[0].digest, f.players[1].digest}
	g.Board, g.Connect = w.board()
	if f.players[0].isProgram() || f.players[1].isProgram() {
		g.Took, g.Clock = new([2][]float64), new([2]float64)
	}
	state, err := w.moves(ctx, f, g)
	if err != nil {
		return nil, err
	}
	g.Moves = state.String()
	switch winner := state.Position().Outcome().Winner(); {
	case g.Fault != "":
	case winner == board.Empty:
		g.Result = "draw"
	default:
		g.Result = winner.String()
	}
	if w.Rules.Connect == board.Standard.Connect {
		err = w.judge(ctx, g, state)
	}
	if err == nil {
		w.explain(ctx, g)
		err = context.Cause(ctx)
	}
	return g, err
}

// explain says which discs decided a game, if the game is kept and no fault ended it. Late positions
// are solved quickly, so it looks from the end.
func (w *worker) explain(ctx context.Context, g *Game) {
	if !w.Keep || g.Why != "" || g.Fault != "" || w.Rules.Connect != board.Standard.Connect {
		return
	}
	if w.analyst == nil {
		w.analyst = analysis.New(solver.Options{Table: 16 << 20})
	}
	moves, _ := board.ParseGame(w.Rules, board.Red, g.Moves) // they have been played
	for d, err := range w.analyst.Discs(ctx, moves, len(g.Opening)) {
		if err != nil {
			return
		}
		if g.Why = strings.TrimSpace(d.Story() + " " + g.Why); d.Changed() || d.Sooner && !d.Known {
			return
		}
	}
}

// moves plays the moves of a game. After a fault, it sets the game's result too.
func (w *worker) moves(ctx context.Context, f fixture, g *Game) (board.Game, error) {
	var choose [2]func(context.Context, board.Game) (int, error)
	var programs [2]*bot.Program
	for side, p := range f.players {
		if !p.isProgram() {
			choose[side] = func(ctx context.Context, g board.Game) (int, error) {
				return w.computer.Choose(ctx, p.Level, g.Position(), f.seed) // a different choice at each ply
			}
			continue
		}
		var log bytes.Buffer
		program, err := bot.Start(p.Command, bot.Options{Rules: w.Rules, Player: discs[side], MoveTime: w.MoveTime, Log: &log})
		if err != nil {
			choose[side] = func(context.Context, board.Game) (int, error) {
				return 0, fmt.Errorf("did not start: %w", err)
			}
			continue
		}
		defer func() {
			wrote := strings.Split(program.Close(), "\n")
			if g.Fault != "" && g.winner() != discs[side] {
				g.Wrote = strings.Join(wrote[max(len(wrote)-mostWrote, 0):], "\n")
			}
			if log.Len() > 0 {
				g.said += fmt.Sprintf("== game %d, %s against %s: %s\n%s\n", g.Number, g.Red, g.Yellow, p.Name, bytes.TrimRight(log.Bytes(), "\n"))
			}
		}()
		choose[side], programs[side] = program.Choose, program
	}
	if programs[0] != nil && programs[1] != nil {
		programs[0].Rival, programs[1].Rival = programs[1], programs[0]
	}
	state := f.opening
	for {
		position := state.Position()
		if position.Outcome() != board.Playing {
			return state, nil
		}
		side := int(position.Turn() - board.Red)
		began := time.Now()
		col, err := choose[side](ctx, state)
		if ctx.Err() != nil {
			return state, context.Cause(ctx)
		}
		took, clock := time.Since(began), time.Since(began)
		if programs[side] != nil {
			took = programs[side].Took
		}
		first := programs[side] != nil && position.Ply() < f.opening.Position().Ply()+2 // with the program's start
		if g.Took != nil && (err == nil && !first || errors.Is(err, bot.ErrLate)) {
			g.Took[side] = append(g.Took[side], milliseconds(took))
			g.Clock[side] = max(g.Clock[side], milliseconds(clock))
		}
		if err != nil {
			loser := loser(side, err)
			g.Fault, g.Result = f.players[loser].Name+" "+err.Error(), discs[1-loser].String()
			return state, nil
		}
		_ = state.Play(col) // it is legal
	}
}

func loser(side int, err error) int {
	if errors.Is(err, bot.ErrRival) {
		return 1 - side
	}
	return side
}

// milliseconds returns a time with three digits after the point.
func milliseconds(d time.Duration) float64 { return math.Round(d.Seconds()*1e6) / 1e3 }

// judge counts each side's moves that kept the position's score: no other column was better. It
// starts with the last move, because what the solver learns from late positions makes it faster on
// the early ones, and ends where the solver does not find the score.
func (w *worker) judge(ctx context.Context, g *Game, state board.Game) error {
	if w.Rules != board.Standard {
		w.computer.Forget()
	}
	score := func(p board.Position) (int, error) {
		if p.Outcome().Winner() != board.Empty { // with the last disc, so no other column had a better score
			return -(p.Rules().Cells() - p.Ply() + 2) / 2, nil
		}
		return w.computer.Score(ctx, p)
	}
	var kept, judged [2]int
	position := state.Position()
	after, err := score(position) // for the side to move then
	for err == nil && position.Ply() > w.Opening {
		_ = state.Undo() // there is a move
		position = state.Position()
		var before int
		if before, err = score(position); err == nil {
			side := position.Turn() - board.Red
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
