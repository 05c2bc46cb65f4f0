package site

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/computer"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/service/api"
	"github.com/c4hat/c4hat/internal/session"
)

// page stores what a game saves, as a browser does.
type page struct {
	match    string
	finished []json.RawMessage
	shown    api.State
}

// run runs a game in a synctest bubble until end is called.
func (p *page) run(t *testing.T) (g *Game, end func()) {
	var brain Brain
	g, err := New(Page{
		Show:   func(doc []byte) { _ = json.Unmarshal(doc, &p.shown) },
		Save:   func(doc []byte) { p.match = string(doc) },
		Finish: func(doc []byte) { p.finished = append(p.finished, doc) },
		Ask:    brain.Answer,
	}, []byte(p.match), 7)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := g.Run(ctx)
		done <- err
	}()
	return g, func() {
		cancel()
		<-done
	}
}

// A Brain that is asked through a Carry gives the same answers as the computer itself.
func TestCarry(t *testing.T) {
	var brain Brain
	var here computer.Computer
	there := Carry(brain.Answer)
	g, err := board.ParseGame(board.Standard, board.Yellow, "4444335533525")
	if err != nil {
		t.Fatal(err)
	}
	full, err := board.ParseGame(board.FullMatrix, board.Red, "14556736456387611373452777371355475121351123")
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	answers := func(c session.Computer, q game.Question) (all []game.Event) {
		last, err := c.Answer(ctx, q, func(ev game.Event) { all = append(all, ev) })
		if err != nil {
			t.Errorf("%+v: %v", q, err)
		}
		return append(all, last)
	}
	for q, want := range map[game.Question]int{
		game.Question{Kind: game.Think, ID: 3, Game: g, Level: match.Hard, Seed: 1<<64 - 1}: 1,
		game.Question{Kind: game.Advise, ID: 4, Game: g}:                                    1,
		game.Question{Kind: game.Advise, ID: 7, Game: full}:                                 1,
		game.Question{Kind: game.Think, ID: 8, Game: full, Level: match.Perfect, Seed: 1}:   1,
		game.Question{Kind: game.Compose, ID: 5, Discs: 2, Seed: 5}:                         1,
		game.Question{Kind: game.Review, ID: 6, Game: g, Opening: 2}:                        11 + 1,
	} {
		got, here := answers(there, q), answers(&here, q)
		if !slices.Equal(got, here) || len(got) != want {
			t.Errorf("%+v, want %d: %+v", got, want, here)
		}
	}
}

// sleep advances the clock, and waits for everything that happens until then.
func sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// A match against the computer is resumed when the page is opened again, and is listed once it has
// ended. The page may ask for a seat, as it does with a server, but needs none.
func TestMatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := new(page)
		g, end := p.run(t)
		ask := func(method, path, body string, want int) {
			t.Helper()
			if status, doc := g.Ask(t.Context(), method, path, []byte(body)); status != want {
				t.Fatalf("%s %s %s: %d %s", method, path, body, status, doc)
			}
		}
		ask("POST", "v1/match", `{"points":1,"computer":"yellow","level":1,"take":"red"}`, 200)
		ask("POST", "v1/match", `{}`, 409)
		ask("POST", "v1/match", `{"points":9}`, 400)
		ask("POST", "v1/press", `{"key":"x"}`, 400)
		ask("GET", "v1/status", ``, 404)
		ask("POST", "v1/press", `{"column":4}`, 200)
		sleep(5 * time.Second)
		ask("POST", "v1/press", `{"key":"hint"}`, 200)
		synctest.Wait()
		if string(p.shown.Phase) != "hint" || !p.shown.Advice.Exact {
			t.Errorf("a hint: %+v", p.shown)
		}
		rounds := p.shown.Match.Rounds
		end()

		g, end = p.run(t) // the page is opened again
		defer func() { end() }()
		sleep(5 * time.Second)
		if got := p.shown.Match.Rounds; len(got) != len(rounds) || got[0] != rounds[0] {
			t.Fatalf("resumed after %q, want %q", got, rounds)
		}
		for col := 0; p.shown.UnderWay && len(p.finished) == 0; col++ {
			g.Ask(t.Context(), "POST", "v1/press", []byte(`{"column":`+string(rune('1'+col%7))+`}`))
			sleep(5 * time.Second)
		}
		sleep(10 * time.Second)
		if len(p.finished) != 1 || p.match != "" {
			t.Fatalf("%d finished, kept: %q", len(p.finished), p.match)
		}
		list, _ := json.Marshal(append(p.finished, json.RawMessage(`{"id":"another version's"}`)))
		var past struct{ Matches []api.Past }
		if err := json.Unmarshal(Past(list), &past); err != nil || len(past.Matches) != 1 || past.Matches[0].Match.Final().Winner() == board.Empty {
			t.Errorf("%s, %v", Past(list), err)
		}
		last := past.Matches[0].Rounds[len(past.Matches[0].Rounds)-1]
		report, err := new(Brain).Analyse(t.Context(), []byte(`{"moves":"`+last.Moves+`","starts":"`+last.Starts+`"}`))
		if err != nil || !strings.Contains(string(report), `"discs":[{"ply":1`) {
			t.Errorf("%.100s, %v", report, err)
		}
	})
}
