package store

import (
	"os"

	"github.com/c4hat/c4hat/internal/match"
)

// Dropped counts the matches that a folder's history no longer has. Like [History] it takes
// no lock.
func Dropped(dir string) match.Totals { return dropped(osDisk{}, dir) }

func dropped(d disk, dir string) match.Totals {
	f, _, err := openHistory(d, dir, os.O_RDONLY)
	if err != nil {
		return match.Totals{}
	}
	defer f.Close()
	l := newLiner(f)
	if l.next() != nil {
		return match.Totals{}
	}
	return decodeTotals(l.line)
}

// Dropped is like the function [Dropped], for the store's folder.
func (s *Store) Dropped() match.Totals { return dropped(s.disk, s.dir) }
