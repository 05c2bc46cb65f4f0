package store

import (
	"bytes"
	"io"

	"github.com/c4hat/c4hat/internal/match"
)

// historyLimit is the largest size of a history in bytes: about twelve thousand matches, or ten a
// day for three years. When the history is longer, its older half is dropped, and only its totals
// are kept.
const historyLimit = 4 << 20

const newHistoryName = historyName + ".tmp"

// trim shortens the history f, which has this size, if it is too long. The caller has locked and
// synced f. After a power cut, either the old history or the new one is there, as with a save.
func (s *Store) trim(f file, size int64) error {
	if size <= s.limit {
		return nil
	}
	var totals match.Totals
	l := newLiner(io.NewSectionReader(f, 0, size))
	for size-l.size > s.limit/2 {
		if err := l.next(); err != nil {
			return err
		}
		if t := decodeTotals(l.line); t.Matches > 0 && totals.Matches == 0 {
			totals = t
		} else if e, err := decodeFinished(l.line); err == nil {
			totals.Add(e)
		}
	}
	line, err := seal(totalsLine{version, totals})
	if err != nil {
		return err
	}
	name := s.path(newHistoryName)
	err = s.writeNew(name, io.MultiReader(bytes.NewReader(line), io.NewSectionReader(f, l.size, size-l.size)))
	if err == nil {
		err = s.disk.rename(name, s.path(historyName))
	}
	if err != nil {
		_ = s.disk.remove(name) // it may not exist
		return err
	}
	s.log.Info("the history is long: the oldest matches are only counted now", "matches", totals.Matches)
	s.renamed.Store(true)
	return s.syncFolder() // after an error, the next match that is entered syncs the folder
}
