package board

import (
	"errors"
	"testing"
)

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
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range tt.starters {
			if m.Starter() != want {
				t.Errorf("%v: round %d starts with %v, want %v", tt.first, i+1, m.Starter(), want)
			}
			if g := m.NewGame(); g.Position().Turn() != want {
				t.Errorf("%v: round %d: %v is to move, want %v", tt.first, i+1, g.Position().Turn(), want)
			}
			if i < len(tt.outcomes) {
				if m, err = m.Record(tt.outcomes[i]); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

func TestMatchRandomFirst(t *testing.T) {
	starters := func(seed uint64) string {
		m, err := NewMatch(Standard, 2, FirstRandom, seed)
		if err != nil {
			t.Fatal(err)
		}
		s := ""
		for range 64 {
			s += m.Starter().String()[:1]
			if m, err = m.Record(Draw); err != nil {
				t.Fatal(err)
			}
		}
		return s
	}
	seen := map[string]bool{}
	for seed := range uint64(20) {
		s := starters(seed)
		if s != starters(seed) {
			t.Errorf("seed %d gives different starters", seed)
		}
		seen[s] = true
		reds := 0
		for _, c := range s {
			if c == 'r' {
				reds++
			}
		}
		if reds < 16 || reds > 48 {
			t.Errorf("seed %d: red starts %d of 64 rounds", seed, reds)
		}
	}
	if len(seen) != 20 {
		t.Errorf("20 seeds give %d orders of starters", len(seen))
	}
}

func TestMatchPoints(t *testing.T) {
	for target := 1; target <= 3; target++ {
		m, err := NewMatch(Standard, target, FirstRed, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Record(Playing); err != ErrRoundOpen {
			t.Errorf("an open round: %v, want %v", err, ErrRoundOpen)
		}
		if target > 1 {
			m, _ = m.Record(RedWins)
		}
		m, _ = m.Record(Draw)
		for m.Winner() == Empty {
			m, _ = m.Record(YellowWins)
		}
		if m.Winner() != Yellow || m.Points(Yellow) != target || m.Points(Empty) != 0 {
			t.Errorf("to %d: %v wins %d-%d", target, m.Winner(), m.Points(Yellow), m.Points(Red))
		}
		if again, err := m.Record(RedWins); err != ErrMatchOver || again != m {
			t.Errorf("a round too many: %v, want %v", err, ErrMatchOver)
		}
	}
	if _, err := NewMatch(Standard, 0, FirstRed, 0); !errors.Is(err, ErrPoints) {
		t.Error(err)
	}
	if _, err := NewMatch(Standard, 2, First(9), 0); !errors.Is(err, ErrFirst) {
		t.Error(err)
	}
	if (Match{}).Winner() != Empty {
		t.Error("a match of nothing has a winner")
	}
}

func TestParseFirst(t *testing.T) {
	for f := FirstRed; f <= FirstRandom; f++ {
		if got, err := ParseFirst(f.String()); got != f || err != nil {
			t.Errorf("%v: %v, %v", f, got, err)
		}
	}
	if _, err := ParseFirst("green"); !errors.Is(err, ErrFirst) {
		t.Error(err)
	}
}
