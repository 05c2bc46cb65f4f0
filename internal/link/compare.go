package link

import (
	"fmt"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// disc is the column of a disc, counted from 0, and its player.
type disc struct {
	col    int
	player board.Disc
}

// compare returns the discs that the shorter of two records of a match lacks, and which record
// is shorter: 0 is a, 1 is b. The error says how the two records contradict each other.
func compare(a, b game.Record) (missing []disc, shorter int, err error) {
	ma, mb := a.Match, b.Match
	switch {
	case ma.Rules() != mb.Rules():
		return nil, 0, fmt.Errorf("%v and %v are different games", ma.Rules(), mb.Rules())
	case ma.Target() != mb.Target():
		return nil, 0, fmt.Errorf("one match is %s, the other %s", words.Target(ma), words.Target(mb))
	case ma.First() != mb.First() || ma.First() == board.FirstRandom && ma.Seed() != mb.Seed():
		return nil, 0, fmt.Errorf("the rounds of the two matches begin differently")
	}
	da, db := discs(a), discs(b)
	both := min(len(da), len(db))
	for i := range both {
		if da[i] != db[i] {
			return nil, 0, fmt.Errorf("disc %d is in column %d in one match and in column %d in the other", i+1, da[i].col+1, db[i].col+1)
		}
	}
	if len(da) > both {
		return da[both:], 1, nil
	}
	return db[both:], 0, nil
}

func discs(r game.Record) (all []disc) {
	for m, g := range r.Replay() {
		player := m.Starter()
		for ply := range g.Position().Ply() {
			all = append(all, disc{g.Move(ply), player})
			player = player.Other()
		}
	}
	return all
}
