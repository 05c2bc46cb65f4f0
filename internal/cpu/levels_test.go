package cpu

import (
	"flag"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/levels"
)

var games = flag.Int("games", 0, "number of games between each level and the one below, to print the table of doc/levels.md")

// taker wins if it can in one, and otherwise plays a random column. Novice must lose to it.
const taker levels.Level = 0

func (pl *Player) playAs(t *testing.T, level levels.Level, p board.Position, seed uint64) int {
	t.Helper()
	if level == taker {
		chance := rand.New(rand.NewPCG(seed, 0))
		if wins := playableThreats(p, p.Turn()); len(wins) > 0 {
			return oneOf(chance, wins)
		}
		return oneOf(chance, slices.Collect(p.LegalMoves()))
	}
	col, err := pl.Choose(t.Context(), level, p, seed)
	if err != nil {
		t.Error(err)
	}
	return col
}

// result counts games of two levels for the first one, which is red in every other game.
type result struct{ redWon, redDrawn, redLost, yellowWon, yellowDrawn, yellowLost int }

func (r result) games() int {
	return r.redWon + r.redDrawn + r.redLost + r.yellowWon + r.yellowDrawn + r.yellowLost
}

// share returns the first level's score per game; a draw counts half.
func (r result) share() float64 {
	return (float64(r.redWon+r.yellowWon) + float64(r.redDrawn+r.yellowDrawn)/2) / float64(r.games())
}

// margin returns half of the share's 95 % confidence interval.
func (r result) margin() float64 {
	n, s := float64(r.games()), r.share()
	drawn := float64(r.redDrawn+r.yellowDrawn) / n
	return 1.96 * math.Sqrt((s*(1-s)-drawn/4)/n)
}

// compete plays n games, each with its own seed.
func compete(t *testing.T, one, two levels.Level, n int) result {
	t.Helper()
	var mu sync.Mutex
	var all result
	numbers := make(chan int)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			var players [2]Player
			for number := range numbers {
				p, err := board.NewPosition(board.Standard, board.Red)
				if err != nil {
					panic(err)
				}
				sides := [2]levels.Level{one, two}
				if number%2 == 1 {
					sides = [2]levels.Level{two, one}
				}
				chance := rand.New(rand.NewPCG(uint64(number), uint64(10*one+two)))
				for p.Outcome() == board.Playing {
					side := p.Ply() % 2
					col := players[side].playAs(t, sides[side], p, chance.Uint64())
					if p, err = p.Drop(col); err != nil {
						t.Error(err)
						return
					}
				}
				mu.Lock()
				switch o := p.Outcome(); {
				case o == board.Draw && number%2 == 0:
					all.redDrawn++
				case o == board.Draw:
					all.yellowDrawn++
				case number%2 == 0 && o == board.RedWins:
					all.redWon++
				case number%2 == 0:
					all.redLost++
				case o == board.YellowWins:
					all.yellowWon++
				default:
					all.yellowLost++
				}
				mu.Unlock()
			}
		})
	}
	for number := range n {
		numbers <- number
	}
	close(numbers)
	wg.Wait()
	return all
}

// Each level is clearly better than the one below. The seeds are fixed, so the result is
// the same everywhere.
func TestEachLevelIsBetter(t *testing.T) {
	beats := func(one, two levels.Level, n int, least float64) {
		if r := compete(t, one, two, n); r.share() < least {
			t.Errorf("%v scores %.2f against %v: %+v", one, r.share(), two, r)
		}
	}
	beats(taker, levels.Novice, 200, 0.6)
	for level := levels.Easy; level < levels.Hard; level++ {
		beats(level, level-1, 200, 0.7)
	}
	for level := levels.Hard; level < levels.Perfect && !testing.Short(); level++ {
		beats(level, level-1, 20, 0.7)
	}
}

// TestTable prints the table of doc/levels.md.
func TestTable(t *testing.T) {
	if *games == 0 {
		t.Skip("it is long; -games 1000 plays it")
	}
	row := func(one, two levels.Level, n int) {
		r := compete(t, one, two, n)
		name := one.String()
		if one == taker {
			name = "taker"
		}
		t.Logf("| %v | %v | %d | %.1f %% ± %.1f | %d-%d-%d | %d-%d-%d |", name, two, r.games(),
			100*r.share(), 100*r.margin(), r.redWon, r.redDrawn, r.redLost, r.yellowWon, r.yellowDrawn, r.yellowLost)
	}
	row(taker, levels.Novice, *games)
	for level := levels.Easy; level <= levels.Perfect; level++ {
		row(level, level-1, *games)
	}
}
