package board

import "testing"

// The random starter of each game is independent of the games before it.
func TestRandomStartersIndependent(t *testing.T) {
	const rounds = 6
	orders := map[[rounds]Disc]bool{}
	for seed := range uint64(1000) {
		m, err := NewMatch(Standard, 1, FirstRandom, seed)
		if err != nil {
			t.Fatal(err)
		}
		var order [rounds]Disc
		for i := range order {
			order[i] = m.Starter()
			if m, err = m.Record(ended(t, m, Draw)); err != nil {
				t.Fatal(err)
			}
		}
		orders[order] = true
	}
	if len(orders) != 1<<rounds {
		t.Errorf("1000 matches have %d orders of %d starters, want %d", len(orders), rounds, 1<<rounds)
	}
}
