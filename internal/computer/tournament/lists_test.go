package tournament

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
)

// Results come in the order of the jobs, each as soon as it and those before it are done, whatever a job takes.
func TestInOrder(t *testing.T) {
	for _, tt := range []struct {
		workers int
		stop    int // the job after which no more results are taken
		want    []time.Duration
	}{
		{1, 9, []time.Duration{4, 5, 8, 9}},
		{2, 9, []time.Duration{4, 4, 4, 5}},
		{4, 9, []time.Duration{4, 4, 4, 4}},
		{2, 2, []time.Duration{4, 4}},
	} {
		synctest.Test(t, func(t *testing.T) {
			began, took := time.Now(), []time.Duration(nil)
			jobs := func(yield func(int, error) bool) {
				for i, n := range []int{4, 1, 3, 1} {
					if !yield(10*i+n, nil) {
						return
					}
				}
			}
			worker := func() work[int, int] {
				return func(_ context.Context, n int) (int, error) {
					time.Sleep(time.Duration(n%10) * time.Second)
					return n / 10, nil
				}
			}
			for i, err := range inOrder(t.Context(), tt.workers, jobs, worker) {
				if i == tt.stop {
					break
				}
				if i != len(took) || err != nil {
					t.Errorf("job %d after %d, %v", i, len(took), err)
				}
				took = append(took, time.Since(began)/time.Second)
			}
			if !slices.Equal(took, tt.want) {
				t.Errorf("%d workers: %v", tt.workers, took)
			}
		})
	}
}

// Games are lines of moves, or lines of records. A line is read to its end, whatever a program wrote.
func TestRecord(t *testing.T) {
	var in strings.Builder
	for i, g := range []Game{
		{Seed: 1, Number: 1, Moves: "1"}, {Seed: 1, Number: 2, Moves: "2"}, {Seed: 2, Number: 1, Moves: "3"},
		{Seed: 1, Number: 3, Moves: "8", Board: "8x8", Wrote: strings.Repeat("\x01", 4<<10)},
	} {
		g.Red, g.Yellow, g.Result = "a", "b", "red"
		_ = json.NewEncoder(&in).Encode(g)
		if i == 0 {
			in.WriteString("7\n")
		}
	}
	var got []string
	for g, err := range gamesOf(Lines(t.Context(), nil, strings.NewReader(in.String())), board.Standard) {
		if err != nil || g.Err != nil {
			t.Error(err, g.Err)
		}
		got = append(got, g.Game.String())
	}
	if want := []string{"1", "7", "2", "3", "8"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
