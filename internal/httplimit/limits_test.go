package httplimit

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// When all places are taken, a newcomer gets the oldest place of the user who has most, but not one
// that is kept or has just been taken.
func TestEviction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := Places{Most: 40, Each: 20, Hold: time.Second}
		var gone []int
		number := 0
		take := func(user int) *Place {
			number++
			n := number
			return p.Take(user, func() { gone = append(gone, n) })
		}
		for range 20 {
			take(1) // 1 to 20
		}
		kept := take(2) // 21
		kept.Keep()
		for user := range 19 {
			take(10 + user) // 22 to 40
		}
		if take(3) != nil {
			t.Error("a place that has just been taken is given away")
		}
		if take(1) != nil {
			t.Error("a user has more than the share")
		}
		time.Sleep(time.Second)
		for take(3) != nil {
		}
		if want := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}; !slices.Equal(gone, want) {
			t.Errorf("the places of %v are given away, want %v", gone, want)
		}
		time.Sleep(time.Second)
		for user := range 30 {
			take(100 + user)
		}
		if len(gone) != 40 || slices.Contains(gone, 21) {
			t.Errorf("the places of %v are given away, want all others than 21", gone)
		}
		kept.Leave()
		kept.Leave()
		if take(4) == nil {
			t.Error("a place that is left is not free")
		}
	})
}
