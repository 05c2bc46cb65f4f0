package board

import (
	"errors"
	"testing"
)

// ended returns the next game of a match, played to an outcome.
func ended(t *testing.T, m Match, want Outcome) Game {
	t.Helper()
	// The starter wins, the other player wins, a draw.
	for _, moves := range []string{"1212121", "71212121", "121212212121343434434343565656656565777777"} {
		g, err := ParseGame(Standard, m.Starter(), moves)
		must(t, err)
		if g.position.Outcome() == want {
			return g
		}
	}
	t.Fatalf("no game ends with %v", want)
	return Game{}
}

func TestMatchFirst(t *testing.T) {
	tests := []struct {
		first    First
		outcomes []Outcome
		starters []Disc
	}{
		{FirstRed, []Outcome{RedWins, Draw, YellowWins}, []Disc{Red, Red, Red, Red}},
		{FirstYellow, []Outcome{RedWins, Draw, YellowWins}, []Disc{Yellow, Yellow, Yellow, Yellow}},
		{FirstAlternate, []Outcome{RedWins, Draw, RedWins}, []Disc{Red, Yellow, Red, Yellow}},
		{FirstLoser, []Outcome{RedWins, RedWins, Draw, Draw, YellowWins, Draw},
			[]Disc{Red, Yellow, Yellow, Red, Yellow, Red, Yellow}},
	}
	for _, tt := range tests {
		m, err := NewMatch(Standard, 3, tt.first, 0)
		must(t, err)
		for i, want := range tt.starters {
			if m.Starter() != want {
				t.Errorf("%v: round %d starts with %v, want %v", tt.first, i+1, m.Starter(), want)
			}
			if g := m.NewGame(); g.Position().Turn() != want {
				t.Errorf("%v: round %d: %v is to move, want %v", tt.first, i+1, g.Position().Turn(), want)
			}
			if i < len(tt.outcomes) {
				m, err = m.Record(ended(t, m, tt.outcomes[i]))
				must(t, err)
			}
		}
	}
}

func TestMatchPoints(t *testing.T) {
	for target := 1; target <= 3; target++ {
		m, err := NewMatch(Standard, target, FirstRed, 0)
		must(t, err)
		if _, err := m.Record(m.NewGame()); err != ErrGameOpen {
			t.Errorf("an open round: %v, want %v", err, ErrGameOpen)
		}
		if target > 1 {
			m, _ = m.Record(ended(t, m, RedWins))
		}
		m, _ = m.Record(ended(t, m, Draw))
		for m.Winner() == Empty {
			m, _ = m.Record(ended(t, m, YellowWins))
		}
		if m.Winner() != Yellow || m.Points(Yellow) != target || m.Points(Empty) != 0 {
			t.Errorf("to %d: %v wins %d-%d", target, m.Winner(), m.Points(Yellow), m.Points(Red))
		}
		if again, err := m.Record(ended(t, m, RedWins)); err != ErrMatchOver || again != m {
			t.Errorf("a round too many: %v, want %v", err, ErrMatchOver)
		}
	}
	if _, err := NewMatch(Standard, 0, FirstRed, 0); !errors.Is(err, ErrPoints) {
		t.Error(err)
	}
	_, noFirst := NewMatch(Standard, 2, First(9), 0)
	_, noName := ParseFirst("green")
	if !errors.Is(noFirst, ErrFirst) || !errors.Is(noName, ErrFirst) {
		t.Error(noFirst, noName)
	}
	if (Match{}).Winner() != Empty {
		t.Error("a match of nothing has a winner")
	}
}

// A match is the same after it has been written and read again. This is checked after every game.
func TestParseMatch(t *testing.T) {
	for first := FirstRed; first <= FirstRandom; first++ {
		if got, err := ParseFirst(first.String()); got != first || err != nil {
			t.Errorf("%v: %v, %v", first, got, err)
		}
		const seed = 7
		m, _ := NewMatch(Standard, 3, first, seed)
		for _, outcome := range []Outcome{RedWins, Draw, YellowWins, RedWins, YellowWins, RedWins} {
			under, _ := ParseGame(Standard, m.Starter(), "4453")
			over := ended(t, m, outcome)
			for _, g := range []Game{m.NewGame(), under, over} {
				got, game, err := ParseMatch(m.Rules(), m.Target(), m.First(), m.Seed(), append(m.Games(), g.String()))
				if got != m || game != g || err != nil {
					t.Fatalf("%v: read %+v, %v, %v; want %+v, %v", first, got, game.String(), err, m, g.String())
				}
			}
			if m.Played() == 0 {
				if got, game, err := ParseMatch(Standard, 3, first, seed, nil); got != m || game != m.NewGame() || err != nil {
					t.Errorf("%v: no rounds: %+v, %v", first, got, err)
				}
			}
			var err error
			m, err = m.Record(over)
			must(t, err)
		}
		if len(m.Games()) != m.Played() || m.Winner() != Red {
			t.Errorf("%v: %d games in %d rounds", first, len(m.Games()), m.Played())
		}
	}
}

func TestParseMatchErrors(t *testing.T) {
	const won = "1212121"
	for _, tt := range []struct {
		rounds []string
		want   error
		round  int
	}{
		{[]string{"44", "44"}, ErrGameOpen, 1},
		{[]string{"", ""}, ErrGameOpen, 1},
		{[]string{won, won, ""}, ErrMatchOver, 3},
		{[]string{won, "4x"}, ErrNotation, 2},
		{[]string{won, "8"}, ErrNoColumn, 2},
		{[]string{"4444444"}, ErrColumnFull, 1},
		{[]string{won + "1"}, ErrGameOver, 1},
	} {
		_, _, err := ParseMatch(Standard, 2, FirstRed, 0, tt.rounds)
		var at *GameError
		if !errors.Is(err, tt.want) || !errors.As(err, &at) || at.Game != tt.round {
			t.Errorf("%q: %v, want round %d: %v", tt.rounds, err, tt.round, tt.want)
		}
	}
	if _, _, err := ParseMatch(Standard, 0, FirstRed, 0, nil); !errors.Is(err, ErrPoints) {
		t.Error(err)
	}
}

func TestRecordRefuses(t *testing.T) {
	m, _ := NewMatch(Standard, 2, FirstRed, 0)
	yellow, _ := ParseGame(Standard, Yellow, "1212121")
	large, _ := ParseGame(FullMatrix, Red, "1212121")
	for _, g := range []Game{yellow, large} {
		if again, err := m.Record(g); err != ErrOtherGame || again != m {
			t.Errorf("%v: %v, want %v", g.String(), err, ErrOtherGame)
		}
	}
}

// The random starter of each game is independent of the games before it.
func TestRandomStartersIndependent(t *testing.T) {
	const rounds = 6
	orders := map[[rounds]Disc]bool{}
	for seed := range uint64(1000) {
		m, err := NewMatch(Standard, 1, FirstRandom, seed)
		must(t, err)
		if again, _ := NewMatch(Standard, 1, FirstRandom, seed); again != m {
			t.Fatalf("seed %d gives different starters", seed)
		}
		var order [rounds]Disc
		for i := range order {
			order[i] = m.Starter()
			m, err = m.Record(ended(t, m, Draw))
			must(t, err)
		}
		orders[order] = true
	}
	if len(orders) != 1<<rounds {
		t.Errorf("1000 matches have %d orders of %d starters, want %d", len(orders), rounds, 1<<rounds)
	}
}
