package api

import (
	"slices"
	"testing"

	"github.com/c4hat/c4hat/internal/match"
)

// The page shows the line that won a round where the LEDs do.
func TestPast(t *testing.T) {
	for moves, want := range map[string][]int{"1122334": {56, 57, 58, 59}, "7171717": {38, 46, 54, 62}, "45": nil} {
		d := match.Document{ID: "a1", Terms: match.Terms{Board: "7x6", Connect: 4, Points: 1, First: "red"}, Rounds: []string{moves}}
		r, err := d.Record()
		if err != nil {
			t.Fatal(err)
		}
		rounds := NewPast(match.Finished{Record: r}).Rounds
		if len(rounds) != 1 || !slices.Equal(rounds[0].Line, want) {
			t.Errorf("%s: %+v, want the line %v", moves, rounds, want)
		}
	}
}
