package tournament

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// screen is a HAT that remembers what it has shown.
type screen struct {
	mu     sync.Mutex
	shown  []game.View
	broken error
}

func (s *screen) Show(v game.View) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = append(s.shown, v)
	return s.broken
}

func (s *screen) last() game.View {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown[len(s.shown)-1]
}

// A game falls disc by disc, then come the bars; another game meanwhile is not shown. At the end the last
// standing is there at once. A HAT that cannot be borrowed is named once, and tried again later, and so is one that was taken back.
func TestShowing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hat, errs, refuses, borrowed := new(screen), new(strings.Builder), errors.New("the HAT is in use"), 0
		ctx, cancel := context.WithCancel(t.Context())
		s := NewShowing(ctx, func(context.Context) (HAT, error) { borrowed++; return hat, refuses }, errs)
		standing := func(share float64) *Results {
			return &Results{Players: []*Standing{{Name: "a", Score: Score{Games: 1, Share: share}}, {Name: "b", Score: Score{Games: 1, Share: 1 - share}}}}
		}
		show := func(moves string, share float64) {
			played, err := board.ParseGame(board.Standard, board.Red, moves)
			must(t, err)
			synctest.Wait()
			s.Show(&Game{Red: "a", Yellow: "b", played: played}, func() *Results { return standing(share) })
			synctest.Wait()
		}
		for range 2 {
			show("1", 1)
			time.Sleep(againTime)
		}
		if got := errs.String(); got != "not on the HAT yet: the HAT is in use\n" || hat.shown != nil {
			t.Errorf("%q, %d pictures", got, len(hat.shown))
		}
		refuses = nil
		show("1212121", 1)
		show("44", 0) // the first is on its way
		began := time.Now()
		for last := -1; last < 7; {
			v := hat.last()
			if ply := v.Game.Position().Ply(); ply != last && ply != last+1 {
				t.Fatalf("%d discs after %d", ply, last)
			} else {
				last = ply
			}
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
		}
		if took := time.Since(began); took < 7*discTime || took > 20*time.Second {
			t.Errorf("seven discs take %v", took)
		}
		time.Sleep(3 * time.Second)
		synctest.Wait()
		bars := func(share float64, g *Game) game.Frame { return barsOf(standing(share), g).Frame }
		if got := hat.last().Frame; got != bars(1, &Game{Red: "a", Yellow: "b"}) || got[0] != game.LEDRed || got[1] != game.LEDDark {
			t.Errorf("after the game: %v", got)
		}
		time.Sleep(barsTime)
		hat.broken = errors.New("taken back")
		show("44", 0)
		time.Sleep(againTime)
		hat.broken = nil
		show("4444", 0)
		began = time.Now()
		s.End(standing(0.5))
		if took := time.Since(began); took != barsTime || hat.last().Frame != bars(0.5, new(Game)) || borrowed != 4 {
			t.Errorf("borrowed %d times; the end takes %v and shows %v", borrowed, took, hat.last().Frame)
		}
		cancel()
		var none *Showing
		none.Show(nil, nil)
		none.End(nil)
	})
}
