package web

import (
	"bufio"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/game"
)

// A browser that connects when no other is connected first gets the current state, not the last
// state that an earlier browser got.
func TestFeedBeginsAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, nil)
		first := func() (s api.State) {
			t.Helper()
			conn := g.dial("192.168.1.20", askEvents)
			defer conn.Close()
			for in := bufio.NewScanner(conn); in.Scan(); {
				if doc, ok := strings.CutPrefix(in.Text(), "data: "); ok && strings.HasPrefix(doc, `{"phase"`) {
					if err := json.Unmarshal([]byte(doc), &s); err != nil {
						t.Fatal(err)
					}
					return s
				}
			}
			t.Fatal("no state comes")
			return s
		}
		if s := first(); s.Phase != "attract" {
			t.Errorf("the first state: %s", s.Phase)
		}
		time.Sleep(time.Second) // nobody is watching
		if _, err := g.game.Do(t.Context(), game.Press{Key: game.Left}, game.Source{}); err != nil {
			t.Fatal(err)
		}
		if s := first(); s.Phase != "menu" {
			t.Errorf("the first state later: %s", s.Phase)
		}
	})
}
