package socket

import (
	"fmt"
	"testing"

	"github.com/c4hat/c4hat/internal/game"
)

// twoViews returns two different views, so that showing them in turn always changes the view.
func twoViews(t testing.TB) (views [2]game.View) {
	g := newTable(t, game.Config{})
	for i := range views {
		v, err := g.do(t.Context(), game.Press{Key: game.Left})
		if err != nil {
			t.Fatal(err)
		}
		views[i] = v
	}
	return views
}

// Without readers a view is not encoded.
func TestShowWithoutReadersAllocatesNothing(t *testing.T) {
	s, views, i := New(Options{}), twoViews(t), 0
	if n := testing.AllocsPerRun(100, func() {
		i++
		_ = s.Show(views[i%2], false)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkShow(b *testing.B) {
	views := twoViews(b)
	for _, readers := range []int{0, 1, 10} {
		b.Run(fmt.Sprintf("%d readers", readers), func(b *testing.B) {
			s := New(Options{})
			var all []chan *shown
			for range readers {
				all = append(all, s.readers.Join())
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				i++
				_ = s.Show(views[i%2], false)
				for _, queue := range all {
					<-queue
				}
			}
		})
	}
}
