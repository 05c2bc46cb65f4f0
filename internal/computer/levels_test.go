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

var games = flag.Int("games", 0, "number of games between each level and the one below, to print the tables of doc/match.md")

// Players that are not among the match.
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

// result counts games of two players for the first one, which is red in every other game: those won,
// drawn and lost as red, and as yellow.
type result struct{ red, yellow [3]int }

func (r result) of(i int) float64 { return float64(r.red[i] + r.yellow[i]) }

func (r result) games() float64 { return r.of(0) + r.of(1) + r.of(2) }

// score returns the first player's average per game: 1 for a win, half for a draw.
func (r result) score() float64 { return (r.of(0) + r.of(1)/2) / r.games() }

// margin returns half the width of the score's 95 % confidence interval.
func (r result) margin() float64 {
	n, s := r.games(), r.score()
	return 1.96 * math.Sqrt((s*(1-s)-r.of(1)/n/4)/n)
}

func (r *result) add(o board.Outcome, red bool) {
	if red {
		r.red[map[board.Outcome]int{board.Draw: 1, board.YellowWins: 2}[o]]++
	} else {
		r.yellow[map[board.Outcome]int{board.Draw: 1, board.RedWins: 2}[o]]++
	}
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

// compete calls play n times, in parallel, with a different seed each time. The first player
// is red in every other call.
func compete(t *testing.T, one, two match.Level, n int, play func(tb *table, red bool)) {
	t.Helper()
	numbers := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			tb := table{t: t, early: solver.New(solver.Options{}), late: solver.New(solver.Options{NoBook: true})}
			for number := range numbers {
				tb.sides = [2]match.Level{one, two}
				if number%2 == 1 {
					tb.sides = [2]match.Level{two, one}
				}
				tb.chance = rand.New(rand.NewPCG(uint64(number), uint64(10*one+two)))
				play(&tb, number%2 == 0)
			}
		})
	}
	for number := range n {
		numbers <- number
	}
	close(numbers)
	wg.Wait()
}

// playGames plays n games.
func playGames(t *testing.T, one, two match.Level, n int) (all result) {
	t.Helper()
	var mu sync.Mutex
	compete(t, one, two, n, func(tb *table, red bool) {
		p := tb.play(newGame()).Position()
		mu.Lock()
		defer mu.Unlock()
		all.add(p.Outcome(), red)
	})
	return all
}

// playMatches plays n matches to two points, in which the players start the rounds in turn, and
// returns the fraction of matches that the first player wins.
func playMatches(t *testing.T, one, two match.Level, n int) float64 {
	t.Helper()
	var won atomic.Int32
	compete(t, one, two, n, func(tb *table, red bool) {
		m, err := board.NewMatch(board.Standard, 2, board.FirstAlternate, 0)
		for err == nil && m.Winner() == board.Empty {
			m, err = m.Record(tb.play(m.NewGame()))
		}
		if err != nil {
			panic(err)
		}
		if (m.Winner() == board.Red) == red {
			won.Add(1)
		}
	})
	return float64(won.Load()) / float64(n)
}

// Each level is clearly better than the one below. The seeds are fixed, so the result is
// the same on every machine.
func TestEachLevelIsBetter(t *testing.T) {
	beats := func(one, two match.Level, n int, least float64) {
		if r := playGames(t, one, two, n); r.score() < least {
			t.Errorf("%v scores %.2f against %v: %+v", one, r.score(), two, r)
		}
	}
	beats(taker, match.Novice, 200, 0.6)
	for level := match.Beginner; level < match.Hard; level++ {
		beats(level, level-1, 400, 0.7)
	}
	for level := match.Hard; level < match.Perfect && !testing.Short(); level++ {
		beats(level, level-1, 20, 0.7)
	}
}

// The model of a child wins about half of its matches against beginner.
func TestBeginnerSuitsAChild(t *testing.T) {
	if share := playMatches(t, child, match.Beginner, 1000); share < 0.4 || share > 0.6 {
		t.Errorf("it wins %.1f %%", 100*share)
	}
}

// TestTable prints the tables of doc/match.md.
func TestTable(t *testing.T) {
	if *games == 0 {
		t.Skip("it is long; -games 1000 plays it")
	}
	row := func(one, two match.Level) {
		r := playGames(t, one, two, *games)
		name := one.String()
		if one == taker {
			name = "*taker*"
		}
		t.Logf("| %v | %v | %.0f | %.1f %% ± %.1f | %d-%d-%d | %d-%d-%d |", name, two, r.games(), 100*r.score(), 100*r.margin(),
			r.red[0], r.red[1], r.red[2], r.yellow[0], r.yellow[1], r.yellow[2])
	}
	row(taker, match.Novice)
	for level := match.Beginner; level <= match.Perfect; level++ {
		row(level, level-1)
	}
	for level := match.Novice; level <= match.Perfect; level++ {
		t.Logf("| %v | %.1f %% | %.1f %% |", level,
			100*playMatches(t, child, level, *games), 100*playMatches(t, careful, level, *games))
	}
}
