package main

import (
	"flag"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/store"
)

var kills = flag.Int("kills", 12, "how often TestKilled kills the service")

// The service is killed at random moments after the first disc. Each time it resumes the match,
// losing at most the disc in mid-air and the discs that the view says are unsaved. Every finished
// match is in the history exactly once.
func TestKilled(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	t.Log("seed", seed)
	d := newRunning(t)
	d.rng = rand.New(rand.NewPCG(seed, 0))
	lost := 0
	d.start(t)
	for killed := 0; killed < *kills; {
		for range 1 + d.rng.IntN(5) {
			d.play(t)
		}
		time.Sleep(time.Duration(d.rng.IntN(600)) * time.Millisecond)
		if !inPlay(d.latest()) {
			continue
		}
		before := d.kill(t)
		killed++
		d.start(t)
		after := d.latest()
		was, is := allMoves(before), allMoves(after)
		switch {
		case after.ID == before.ID && strings.HasPrefix(is, was) && len(is) <= len(was)+2:
			// The same position, or a disc from just before the kill.
		case after.ID == before.ID && before.Phase == game.Fall && is == strings.TrimSuffix(was[:len(was)-1], "/"):
			lost++
		case before.Phase == game.Fall && len(was) == 1 && !after.UnderWay:
			lost++ // the first disc is lost and, on a slow disk, the match with it
		case before.Unsaved && (after.ID == before.ID || !after.UnderWay) && strings.HasPrefix(was, is):
			lost += len(was) - len(is) // the disk was slow
		case !after.UnderWay && d.entries(t, before.ID) == 1:
			// The match ended just before the kill.
		default:
			t.Fatalf("killed in %v after %s of %s, resumed in %v after %s of %s", before.Phase, was, before.ID, after.Phase, is, after.ID)
		}
	}
	d.kill(t)
	d.start(t)
	d.until(t, "the end of the cheer", func(v game.View) bool { return v.Phase != game.Cheer })
	d.stop(t) // not kill: the last match may not be on the disk yet
	finished := 0
	once := map[string]bool{}
	for e, err := range store.History(d.state) {
		if err != nil || once[e.ID] {
			t.Errorf("match %s is in the history twice, or %v", e.ID, err)
		}
		once[e.ID] = true
		if winner := e.Final().Winner(); winner != board.Empty {
			finished++
			if winner != d.winners[e.ID] && d.winners[e.ID] != board.Empty {
				t.Errorf("%v won match %s, the history has %v", d.winners[e.ID], e.ID, winner)
			}
		}
	}
	for id := range d.winners {
		if !once[id] {
			t.Errorf("match %s is not in the history", id)
		}
	}
	t.Logf("killed %d times; lost %d discs; %d matches won", *kills, lost, finished)
}

// inPlay reports whether a match with a disc on its board is under way.
func inPlay(v game.View) bool {
	position := v.Game.Position()
	return v.UnderWay && position.Ply() > 0
}

// allMoves returns the moves of all rounds of a match, including the current one.
func allMoves(v game.View) string {
	rounds := v.Match.Games()
	position := v.Game.Position()
	if position.Outcome() == board.Playing || v.Phase == game.Fall {
		rounds = append(rounds, v.Game.String())
	}
	return strings.TrimSuffix(strings.Join(rounds, "/"), "/")
}

// play does something that a person could do in the current phase.
func (d *running) play(t *testing.T) {
	t.Helper()
	switch v := d.latest(); v.Phase {
	case game.Attract, game.Menu:
		sizes := []board.Rules{board.Standard, {Columns: 5, Rows: 4, Connect: 4}, board.FullMatrix}
		setup := game.Setup{Rules: sizes[d.rng.IntN(3)], Points: 1 + d.rng.IntN(3), First: board.FirstLoser}
		if d.rng.IntN(2) == 0 {
			setup.Computer, setup.Level = board.Red, match.Level(1+d.rng.IntN(2))
		}
		before := d.view.ID
		_, err := d.client.Do(t.Context(), game.Start{Setup: setup})
		must(t, err)
		d.until(t, "the match", func(v game.View) bool { return v.ID != before })
	case game.Aim:
		for range d.rng.IntN(4) {
			d.tap(t, []uint16{keyLeft, keyRight}[d.rng.IntN(2)])
		}
		d.tap(t, keyEnter)
	case game.Cheer, game.Score, game.Victory, game.Drawn:
		if d.rng.IntN(3) == 0 { // skip the phase
			d.tap(t, keyEnter)
		}
	}
	time.Sleep(time.Duration(d.rng.IntN(400)) * time.Millisecond)
}

// entries counts the entries of a match in the history.
func (d *running) entries(t *testing.T, id string) (n int) {
	t.Helper()
	for e := range store.History(d.state) {
		if e.ID == id {
			n++
		}
	}
	return n
}
