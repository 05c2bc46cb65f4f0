package link

import (
	"fmt"
	"slices"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// disc is a disc of a match.
type disc struct {
	col    int
	player board.Disc
}

// compare returns the discs that the shorter of two records of a match lacks, and which one
// that is: 0 or 1. The error says how the two contradict each other.
func compare(a, b game.Record) (missing []disc, shorter int, err error) {
	ma, mb := a.Match, b.Match
	switch {
	case ma.Rules() != mb.Rules():
		return nil, 0, fmt.Errorf("%v and %v are different games", ma.Rules(), mb.Rules())
	case ma.Target() != mb.Target():
		return nil, 0, fmt.Errorf("one match is %s, the other %s", game.TargetText(ma), game.TargetText(mb))
	case ma.First() != mb.First() || ma.First() == board.FirstRandom && ma.Seed() != mb.Seed():
		return nil, 0, fmt.Errorf("the rounds of the two matches begin differently")
	}
	da, db := discs(a), discs(b)
	if len(da) > len(db) {
		da, db, shorter = db, da, 1
	}
	for i, d := range da {
		if d != db[i] {
			return nil, 0, fmt.Errorf("disc %d is in column %d in one match and in column %d in the other", i+1, at(a, b, i, 0), at(a, b, i, 1))
		}
	}
	return db[len(da):], shorter, nil
}

// at is the column, from 1, of a disc in one of two records.
func at(a, b game.Record, i, which int) int { return discs([]game.Record{a, b}[which])[i].col + 1 }

// discs are the discs of a record, in order.
func discs(r game.Record) (all []disc) {
	m, _ := board.NewMatch(r.Match.Rules(), r.Match.Target(), r.Match.First(), r.Match.Seed()) // it was checked when it was read
	for _, moves := range r.Rounds() {
		g := m.NewGame()
		for _, c := range moves {
			position := g.Position()
			all = append(all, disc{int(c - '1'), position.Turn()})
			_ = g.Play(int(c - '1'))
		}
		if next, err := m.Record(g); err == nil {
			m = next
		}
	}
	return slices.Clip(all)
}
