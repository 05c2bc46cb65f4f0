package store

import (
	"bytes"
	"io"
	"os"

	"github.com/c4hat/c4hat/internal/match"
)

const (
	// historyLimit is the largest size of a history in bytes: about twelve thousand matches, or ten a
	// day for three years. When the history is longer, its older half is dropped, and only its totals
	// are kept.
	historyLimit = 4 << 20

	// trimStep is how many lines are counted at a time.
	trimStep = 100

	newHistoryName = historyName + ".tmp"
)

// trimming is the work of shortening a history: first its older matches are counted, a few at a
// time, so that neither a save nor the end of the program waits even for a very long history. This
// needs no lock, because programs only append to the file or replace it.
type trimming struct {
	file   file
	lines  *liner
	upTo   int64 // count this many bytes
	totals match.Totals
}

func (f *folder) startTrimming(size int64) {
	if size <= f.limit || f.trimming != nil {
		return
	}
	h, size, err := openHistory(f.disk, f.dir, os.O_RDONLY)
	if err != nil {
		f.cannotTrim(err)
		return
	}
	f.trimming = &trimming{file: h, lines: newLiner(io.NewSectionReader(h, 0, size)), upTo: size - f.limit/2}
}

func (f *folder) cannotTrim(err error) {
	f.untrimmed.Do(func() { f.log.Warn("the history is long and cannot be shortened", "reason", err) })
}

func (f *folder) stopTrimming() {
	if f.trimming != nil {
		f.trimming.file.Close()
		f.trimming = nil
	}
}

// trim continues to shorten the history. An error loses nothing; the next match that is entered
// starts it again.
func (f *folder) trim() {
	t := f.trimming
	for range trimStep {
		if t.lines.size >= t.upTo {
			if err := f.replaceHistory(); err != nil {
				f.cannotTrim(err)
			}
			f.stopTrimming()
			return
		}
		first := t.lines.size == 0
		if err := t.lines.next(); err != nil {
			f.cannotTrim(err)
			f.stopTrimming()
			return
		}
		if totals := decodeTotals(t.lines.line); first && totals.Numbers() > 0 {
			t.totals = totals
		} else if e, err := decodeFinished(t.lines.line); err == nil {
			t.totals.Add(e)
		} else if len(bytes.TrimSpace(t.lines.line)) > 0 {
			t.totals.Damaged++
		}
	}
}

// replaceHistory writes the totals and the newer matches to a new file, and gives it the history's
// name. After a power cut, either the old history or the new one is there.
func (f *folder) replaceHistory() error {
	t := f.trimming
	line, err := seal(totalsLine{lineVersion, t.totals})
	if err != nil {
		return err
	}
	h, size, err := f.lockHistory()
	if err != nil {
		return err
	}
	defer h.Close()
	if _, same, err := t.file.stat(f.path(historyName)); err != nil || !same {
		return err // another program has shortened it
	}
	newer := io.NewSectionReader(h, t.lines.size, size-t.lines.size)
	// As long as h is locked, no other program can append to the new file.
	if err = f.replace(historyName, newHistoryName, io.MultiReader(bytes.NewReader(line), newer)); err == nil {
		f.log.Info("the history is long: the oldest matches are only counted now", "matches", t.totals.Matches)
	}
	return err
}

func (f *folder) trims() bool { return f != nil && f.trimming != nil }
