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
// standing is there at once. A HAT that cannot be borrowed is named once, and tried again later.
func TestShowing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hat, errs, refuses := new(screen), new(strings.Builder), errors.New("the HAT is in use")
		s := NewShowing(t.Context(), func(context.Context) (HAT, error) { return hat, refuses }, errs)
		play := func(moves string) *Game {
			g, err := board.ParseGame(board.Standard, board.Red, moves)
			if err != nil {
				t.Fatal(err)
			}
			return &Game{Red: "a", Yellow: "b", played: g}
		}
		standing := func(share float64) *Results {
			return &Results{Players: []*Standing{{Name: "a", Score: Score{Games: 1, Share: share}}, {Name: "b", Score: Score{Games: 1, Share: 1 - share}}}}
		}
		show := func(moves string, share float64) {
			synctest.Wait()
			s.Show(play(moves), func() *Results { return standing(share) })
			synctest.Wait()
		}
		show("1", 1)
		time.Sleep(againTime)
		show("1", 1)
		if got := errs.String(); got != "not shown: the HAT is in use\n" || hat.shown != nil {
			t.Errorf("%q, %d pictures", got, len(hat.shown))
		}
		time.Sleep(againTime)
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
		bars := func(share float64) game.Frame { return barsOf(standing(share), play("")).Frame }
		if got := hat.last(); got.Frame != bars(1) || got.Frame[0] != game.LEDRed || got.Frame[1] != game.LEDDark {
			t.Errorf("after the game: %v", got.Frame)
		}
		time.Sleep(barsTime)
		show("4444", 0)
		began = time.Now()
		s.End(standing(0.5))
		if took := time.Since(began); took != barsTime || hat.last().Frame != barsOf(standing(0.5), &Game{}).Frame {
			t.Errorf("the end takes %v, and shows %v", took, hat.last().Frame)
		}
	})
}

// A HAT that somebody takes back is borrowed again.
func TestHATTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hat, borrowed := &screen{broken: errors.New("taken back")}, 0
		ctx, cancel := context.WithCancel(t.Context())
		s := NewShowing(ctx, func(context.Context) (HAT, error) { borrowed++; return hat, nil }, new(strings.Builder))
		g, _ := board.ParseGame(board.Standard, board.Red, "44")
		for range 3 {
			synctest.Wait()
			s.Show(&Game{played: g}, func() *Results { return new(Results) })
			time.Sleep(againTime)
		}
		if synctest.Wait(); borrowed != 3 {
			t.Errorf("borrowed %d times", borrowed)
		}
		cancel()
		s.End(&Results{})
		var none *Showing
		none.Show(nil, nil)
		none.End(nil)
	})
}
