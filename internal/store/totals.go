package store

import (
	"cmp"
	"os"
	"slices"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/levels"
)

type Totals struct {
	Matches   int           `json:"matches"`
	Abandoned int           `json:"abandoned"`
	People    Wins          `json:"two_players"`
	Computer  []LevelTotals `json:"computer"` // the weakest level first
}

// Wins counts the matches between two people that each player won.
type Wins struct {
	Red    int `json:"red"`
	Second int `json:"yellow"` // or blue, on the full matrix
}

// LevelTotals counts the matches against a level of the computer.
type LevelTotals struct {
	Level levels.Level `json:"level"`
	Won   int          `json:"won"`
	Lost  int          `json:"lost"`
}

func (t LevelTotals) compare(l levels.Level) int { return cmp.Compare(t.Level, l) }

func (t *Totals) Add(e Entry) {
	t.Matches++
	winner := e.Final().Winner()
	switch {
	case winner == board.Empty:
		t.Abandoned++
	case e.Computer == board.Empty && winner == board.Red:
		t.People.Red++
	case e.Computer == board.Empty:
		t.People.Second++
	default:
		i, ok := slices.BinarySearchFunc(t.Computer, e.Level, LevelTotals.compare)
		if !ok {
			t.Computer = slices.Insert(t.Computer, i, LevelTotals{Level: e.Level})
		}
		if at := &t.Computer[i]; winner == e.Computer {
			at.Lost++
		} else {
			at.Won++
		}
	}
}

// totalsLine is the first line of a history whose oldest matches were dropped.
type totalsLine struct {
	Version int    `json:"version"`
	Dropped Totals `json:"dropped"`
}

// decodeTotals returns the totals of a line, or none if the line is not a [totalsLine].
func decodeTotals(line []byte) Totals {
	var l totalsLine
	if decode(line, &l) != nil || l.Version != version || l.Dropped.Matches < 1 {
		return Totals{}
	}
	var last levels.Level
	for _, at := range l.Dropped.Computer {
		if at.Level <= last {
			return Totals{}
		}
		last = at.Level
	}
	return l.Dropped
}

// Dropped counts the matches that a folder's history no longer has. Like [History] it takes
// no lock.
func Dropped(dir string) Totals { return dropped(osDisk{}, dir) }

func dropped(d disk, dir string) Totals {
	f, _, err := openHistory(d, dir, os.O_RDONLY)
	if err != nil {
		return Totals{}
	}
	defer f.Close()
	l := newLiner(f)
	if l.next() != nil {
		return Totals{}
	}
	return decodeTotals(l.line)
}

// Dropped is like the function [Dropped], for the store's folder.
func (s *Store) Dropped() Totals { return dropped(s.disk, s.dir) }
