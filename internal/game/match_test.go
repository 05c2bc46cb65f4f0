package game

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// moves returns the moves of a match's rounds, without an empty round at the end.
func moves(r Record) string {
	return strings.TrimSuffix(strings.Join(r.Rounds(), "/"), "/")
}

// The last save always has the current match. A match that is over is finished once and never saved
// again. After a power cut at any moment, the match resumes as it was.
func TestPowerCut(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	seen := map[string]int{}
	for range 700 {
		p := newPlayer(t, scriptConfig(t, []string{
			"forever points=1", "points=2 forever first=loser board=4x4 idle=2s", "forever attract",
			"forever computer=yellow level=2 points=3 first=random", "forever computer=red level=1 board=8x8",
			"forever opening=44 first=alternate board=5x4", "board=4x4 forever points=3",
			"keeps board=4x4 forever points=2",
		}[rng.IntN(8)]))
		p.random = true
		over, saved := map[string]bool{}, ""
		check := func() {
			t.Helper()
			for _, e := range p.effects {
				switch e := e.(type) {
				case Finish:
					if over[e.Record.ID] || e.Record.ID != saved {
						t.Fatalf("%v, after saving %v", effectText(e), saved)
					}
					over[e.Record.ID] = true
					seen["over"]++
				case Save:
					if over[e.Record.ID] {
						t.Fatalf("%v, which is over", effectText(e))
					}
					saved = e.Record.ID
				}
			}
			p.effects = nil
			if waits := p.state.parked; waits.ID != "" && !p.state.record.Begun() { // it is on the disk until the new match has a disc
				if p.kept.ID != waits.ID {
					t.Fatalf("%v: kept %v, parked %v", p.state.Phase(), effectText(Save{Record: p.kept}), effectText(Save{Record: waits}))
				}
			} else if p.state.playing && (moves(p.kept) != moves(p.state.kept()) || p.kept.ID != p.state.record.ID) {
				t.Fatalf("%v: kept %v, is %v", p.state.Phase(), effectText(Save{Record: p.kept}), effectText(Save{Record: p.state.kept()}))
			}
		}
		for range 500 {
			p.after(time.Duration(rng.IntN(400)) * time.Millisecond)
			check()
			dice := rng.IntN(100)
			switch p.state.Phase() {
			case Cheer, Score, Drawn, Clear, Dark: // soon skipped, because these phases are brief
				dice /= 10
			}
			switch dice {
			case 0:
				p.step(Start{Setup: scriptConfig(t, "board=8x8").Setup, Force: rng.IntN(2) == 0})
			case 1:
				p.step(End{})
			case 2, 3, 4:
				if !p.state.playing || p.state.parked.ID != "" {
					break
				}
				before := *p.state
				p.resume()
				seen["resumed in "+string(before.Phase())]++
				after := *p.state
				if moves(after.kept()) != moves(before.kept()) || after.record.ID != before.record.ID {
					t.Fatalf("cut in %v: %v, was %v", before.Phase(), effectText(Save{Record: after.kept()}), effectText(Save{Record: before.kept()}))
				}
				if after.record.Computer != before.record.Computer || after.record.Level != before.record.Level || after.menu.entry != before.menu.entry || after.menu.level() != before.menu.level() {
					t.Fatalf("cut in %v: %+v, was %+v", before.Phase(), after.record.Setup(), before.record.Setup())
				}
			case 5:
				p.step(Press{Key: Up})
			case 6:
				p.after(3 * time.Second)
				check()
			case 7, 8:
				p.step(Undo)
			default:
				p.step(Column{rng.IntN(p.state.record.Match.Rules().Columns + 1)})
				if rng.IntN(16) == 0 {
					p.step(Press{Key: Key(1 + rng.IntN(5))})
				}
			}
			check()
		}
	}
	for _, what := range []string{"over", "resumed in aim", "resumed in fall", "resumed in pause", "resumed in cheer", "resumed in draw", "resumed in dark", "resumed in score"} {
		if seen[what] < 5 {
			t.Errorf("%s: only %d times in %v", what, seen[what], seen)
		}
	}
}
