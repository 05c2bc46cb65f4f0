package computer

import (
	"cmp"
	"flag"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/match"
)

var games = flag.Int("games", 0, "number of games between each level and the one below, to print the table of doc/levels.md")

// Players that are no levels.
const (
	// taker wins with one disc if it can, and otherwise plays a random column. It must beat novice.
	taker match.Level = -iota
	// child is a model of somebody who has just learnt the rules. It completes lines along a
	// row or a column but sees no diagonals, blocks such a line three times in five, and
	// otherwise plays a random column.
	child
	// careful is a model of a careful player. It wins and blocks with one disc, avoids discs on
	// top of which the opponent wins, and prefers the cells that are in most lines.
	careful
)

var models = map[match.Level]func(*rand.Rand, board.Position) int{
	taker: func(chance *rand.Rand, p board.Position) int {
		return oneOf(chance, firstOf(playableThreats(p, p.Turn()), slices.Collect(p.LegalMoves())))
	},
	child: func(chance *rand.Rand, p board.Position) int {
		blocks := straight(p, p.Turn().Other())
		if chance.IntN(5) >= 3 {
			blocks = nil
		}
		return oneOf(chance, firstOf(straight(p, p.Turn()), blocks, slices.Collect(p.LegalMoves())))
	},
	careful: func(chance *rand.Rand, p board.Position) int {
		columns := firstOf(playableThreats(p, p.Turn()), playableThreats(p, p.Turn().Other()), slices.Collect(p.LegalMoves()))
		safe := slices.DeleteFunc(slices.Clone(columns), func(col int) bool {
			next, _ := p.Drop(col) // it is legal
			return next.Outcome() == board.Playing && next.Legal(col) && slices.Contains(playableThreats(next, next.Turn()), col)
		})
		var scores [board.MaxSide]int
		for col := range scores {
			scores[col] = -1
		}
		for _, col := range firstOf(safe, columns) {
			scores[col] = 0
		}
		return central(chance, p, scores)
	},
}

// firstOf returns the first list with anything in it.
func firstOf(lists ...[]int) []int {
	for _, l := range lists {
		if len(l) > 0 {
			return l
		}
	}
	return nil
}

// straight returns the columns in which a disc completes a line along a row or a column,
// found by counting.
func straight(p board.Position, d board.Disc) (columns []int) {
	for col := range p.LegalMoves() {
		row := p.Height(col)
		run := func(dc, dr int) (n int) {
			for n < p.Rules().Connect && p.At(col+(n+1)*dc, row+(n+1)*dr) == d {
				n++
			}
			return n
		}
		if need := p.Rules().Connect - 1; run(0, -1) >= need || run(-1, 0)+run(1, 0) >= need {
			columns = append(columns, col)
		}
	}
	return columns
}

// table is where two players play each other.
type table struct {
	t       *testing.T
	sides   [2]match.Level // red, yellow
	players [2]Computer
	chance  *rand.Rand

	early, late *solver.Solver // to judge
}

func newGame() board.Game {
	g, _ := board.NewGame(board.Standard, board.Red) // the rules are valid
	return g
}

// play plays a game to its end.
func (tb *table) play(g board.Game) board.Game {
	for g.Position().Outcome() == board.Playing {
		p, seed := g.Position(), tb.chance.Uint64()
		side := p.Turn() - board.Red
		col, err := 0, error(nil)
		if model := models[tb.sides[side]]; model != nil {
			col = model(rand.New(rand.NewPCG(seed, 0)), p)
		} else {
			col, err = tb.players[side].Choose(tb.t.Context(), tb.sides[side], p, seed)
		}
		if err = cmp.Or(err, g.Play(col)); err != nil {
			panic(err)
		}
	}
	return g
}

// compete calls play n times, in parallel, with a different seed each time. The first player is red in every other
// call, and wins if play returns its disc. compete returns the average of its score, in which a draw is half a win,
// and half the width of the 95 % confidence interval.
func compete(t *testing.T, one, two match.Level, n int, play func(tb *table) board.Disc) (score, margin float64) {
	t.Helper()
	var next, points, squares atomic.Int64
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			tb := table{t: t, early: solver.New(solver.Options{}), late: solver.New(solver.Options{NoBook: true})}
			for number := next.Add(1) - 1; number < int64(n); number = next.Add(1) - 1 {
				tb.sides = [2]match.Level{one, two}
				if number%2 == 1 {
					tb.sides = [2]match.Level{two, one}
				}
				tb.chance = rand.New(rand.NewPCG(uint64(number), uint64(10*one+two)))
				won := map[board.Disc]int64{board.Empty: 1, board.Red + board.Disc(number%2): 2}[play(&tb)]
				points.Add(won)
				squares.Add(won * won)
			}
		})
	}
	wg.Wait()
	score = float64(points.Load()) / float64(2*n)
	return score, 1.96 * math.Sqrt((float64(squares.Load())/float64(4*n)-score*score)/float64(n))
}

func oneGame(tb *table) board.Disc { return tb.play(newGame()).Position().Outcome().Winner() }

// oneMatch plays a match to two points, in which the players start the rounds in turn.
func oneMatch(tb *table) board.Disc {
	m, err := board.NewMatch(board.Standard, 2, board.FirstAlternate, 0)
	for err == nil && m.Winner() == board.Empty {
		m, err = m.Record(tb.play(m.NewGame()))
	}
	if err != nil {
		panic(err)
	}
	return m.Winner()
}

// Each level is clearly better than the one below, and a child wins about half of its matches against beginner. The
// seeds are fixed, so the result is the same on every machine.
func TestLevels(t *testing.T) {
	for _, tt := range []struct {
		one, two    match.Level
		play        func(*table) board.Disc
		n           int
		least, most float64
	}{
		{taker, match.Novice, oneGame, 200, 0.6, 1},
		{match.Beginner, match.Novice, oneGame, 400, 0.7, 1},
		{match.Easy, match.Beginner, oneGame, 400, 0.7, 1},
		{match.Medium, match.Easy, oneGame, 400, 0.7, 1},
		{match.Hard, match.Medium, oneGame, 20, 0.7, 1},
		{match.Perfect, match.Hard, oneGame, 20, 0.7, 1},
		{child, match.Beginner, oneMatch, 1000, 0.4, 0.6},
	} {
		if tt.one >= match.Hard && testing.Short() {
			continue
		}
		if score, _ := compete(t, tt.one, tt.two, tt.n, tt.play); score < tt.least || score > tt.most {
			t.Errorf("%v scores %.2f against %v", tt.one, score, tt.two)
		}
	}
}

// TestTable prints the table of doc/levels.md.
func TestTable(t *testing.T) {
	if *games == 0 {
		t.Skip("it is long; -games 1000 plays it")
	}
	for level := match.Novice; level <= match.Perfect; level++ {
		score, margin := compete(t, level, max(level-1, match.Novice), *games, oneGame)
		byChild, _ := compete(t, child, level, *games, oneMatch)
		byCareful, _ := compete(t, careful, level, *games, oneMatch)
		t.Logf("| %v | %.1f %% ± %.1f | %.1f %% | %.1f %% |", level, 100*score, 100*margin, 100*byChild, 100*byCareful)
	}
}
