// Package store keeps matches on disk: the running one, which resumes after a power cut, and the
// finished ones, as a history. A folder holds
//
//	match.jsonl      the running match, a line for each save; the last good line counts
//	match.jsonl.bad  a match.jsonl without a good line; further ones are .bad2, .bad3, …
//	match.lock       locked by the program that saves its match in match.jsonl
//	matches.jsonl    the finished matches, a line each, the oldest first
//	matches.lock     locked while a match is entered
//
// Both files only grow, a synced line at a time, so nothing is replaced that a power cut could lose. Once a save is
// answered without an error, the match survives one. A finished match is in the history, on the disk, before
// match.jsonl is removed: a match in both files is over. With a full or broken disk the game goes on without being
// saved. One goroutine writes ([Saver]); any goroutine may read ([History]).
package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/c4hat/c4hat/internal/match"
)

const (
	matchName   = "match.jsonl"
	oldName     = "match.json" // of c4hat 0.3
	damagedName = "match.jsonl.bad"
	lockName    = "match.lock"
	historyName = "matches.jsonl"
	historyLock = "matches.lock"

	recent = 1 << 19 // how many bytes of a file are read from its end: more than a thousand lines
)

// Errors of a folder whose running match is another's. Matches that are over are entered nevertheless.
var (
	ErrOpen  = errors.New("another open c4hat saves its match in this folder")
	errOther = errors.New("this folder has a match to resume at the next start; until then no match is saved")
	errNone  = errors.New("there is no home folder")
)

// folder is a folder with the matches of one program. Only one goroutine uses it.
type folder struct {
	dir  string // empty: nothing is saved
	log  *slog.Logger
	disk disk

	lock  io.Closer        // nil if the folder is not locked
	id    string           // this program's match in match.jsonl
	named bool             // the name of match.jsonl is on the disk
	over  []match.Finished // what is not in the history yet
}

func (f *folder) path(name string) string { return filepath.Join(f.dir, name) }

func (f *folder) has(name string) bool {
	_, _, err := f.disk.read(f.path(name), 0)
	return err == nil
}

// claim creates and locks the folder, unless it is locked.
func (f *folder) claim() (err error) {
	switch {
	case f.lock != nil:
		return nil
	case f.dir == "":
		return errNone
	}
	if !f.has(lockName) { // perhaps nobody has put the folder's own name on the disk
		err = f.disk.mkdirAll(f.dir)
		for at := f.dir; err == nil && at != filepath.Dir(at); {
			at = filepath.Dir(at)
			err = f.disk.syncDir(at)
		}
	}
	if err == nil {
		f.lock, err = f.disk.lock(f.path(lockName), false)
	}
	if err == nil && !f.has(matchName) && f.has(oldName) {
		err = f.disk.rename(f.path(oldName), f.path(matchName))
	}
	return err
}

// release unlocks the folder. Then everything is looked at again.
func (f *folder) release() {
	if f.lock != nil {
		f.lock.Close()
	}
	f.lock, f.named = nil, false
}

// load reads the running match, if there is one, and where its next line belongs. lost reports whether something after
// its last good line is not good. A file of which no line is good is set aside, if the folder is locked.
func (f *folder) load() (r match.Record, next int64, lost bool, err error) {
	lines, next, torn, err := readLines(f.disk, f.path(matchName), recent)
	if err != nil {
		return r, 0, false, err
	}
	var damage error
	for _, text := range slices.Backward(lines) {
		if r, damage = decode(text, match.Document.Record); damage == nil {
			break
		}
		lost = true
	}
	if damage != nil && f.lock != nil {
		next, err = 0, f.setAside(damage)
	}
	return r, next, (lost || len(torn) > 0) && (damage == nil), err
}

// setAside renames a damaged match, so that it is neither read at every start nor continued.
func (f *folder) setAside(reason error) error {
	name := damagedName
	for n := 2; f.has(name); n++ {
		name = damagedName + strconv.Itoa(n)
	}
	err := f.disk.rename(f.path(matchName), f.path(name))
	f.named = false
	if err == nil {
		f.log.Error("the saved match is damaged and was set aside", "as", f.path(name), "reason", reason)
	}
	return err
}

// names reports whether an intact line of the history is that of a match.
func names(text []byte, id string) bool {
	return bytes.Contains(text, []byte(`"id":"`+id+`"`)) && intact(text)
}

// running is like load. over reports whether the match is in the history.
func (f *folder) running() (r match.Record, over, lost bool, err error) {
	r, _, lost, err = f.load()
	if err == nil && r.ID != "" {
		var lines [][]byte
		lines, _, _, err = readLines(f.disk, f.path(historyName), recent)
		over = slices.ContainsFunc(lines, func(text []byte) bool { return names(text, r.ID) })
	}
	return r, over, lost, err
}

// Left returns the match in a folder that can be resumed; ok is false if there is none or it cannot be read.
// Like [History] it takes no lock and changes nothing.
func Left(dir string) (r match.Record, ok bool) {
	r, over, _, err := (&folder{dir: dir, disk: osDisk{}}).running()
	return r, dir != "" && err == nil && r.ID != "" && !over
}

// open returns the match to resume, if its ID is not empty. If nothing can be saved, unsaved says why: of a file that
// cannot be read, nothing is changed.
func (f *folder) open() (left match.Record, unsaved error) {
	if unsaved = f.claim(); unsaved == errNone || errors.Is(unsaved, ErrOpen) {
		return left, unsaved
	}
	r, over, lost, err := f.running()
	if err != nil {
		f.release()
		return left, fmt.Errorf("cannot read the saved match, which stays unchanged: %w", err)
	}
	if lost {
		f.log.Warn("the saved match is incomplete: its last disc is missing")
	}
	if f.id = r.ID; over {
		f.over = append(f.over, match.Finish(r, time.Now())) // the history has when it ended
	} else {
		left = r
	}
	return left, f.write(left) // what the last program wrote before it was killed may not be synced
}

// write finishes the matches that are over, and then saves the one under way if its ID is not empty. After an error the
// folder is released: it may have been removed.
func (f *folder) write(r match.Record) (err error) {
	defer func() {
		if err != nil {
			f.release()
		}
	}()
	var there match.Record
	var next int64
	unsaved := f.claim()
	if unsaved == nil {
		there, next, _, unsaved = f.load()
	}
	if unsaved == nil && there.ID != "" && there.ID != f.id { // for example because the disk was plugged in later
		unsaved = errOther
	}
	if unsaved != nil && !errors.Is(unsaved, ErrOpen) && unsaved != errOther {
		return unsaved
	}
	for ; len(f.over) > 0; f.over = f.over[1:] {
		m := f.over[0]
		if m.Begun() {
			err = f.record(m)
		}
		if err == nil && there.ID == m.ID {
			if err = f.disk.remove(f.path(matchName)); err == nil {
				next, f.named, err = 0, false, f.disk.syncDir(f.dir)
			}
		}
		if err != nil {
			return err
		}
	}
	if unsaved != nil || r.ID == "" {
		return unsaved
	}
	f.id = r.ID
	if err = writeLine(f.disk, f.path(matchName), next, encode(r.Document())); err == nil && !f.named {
		err = f.disk.syncDir(f.dir)
		f.named = err == nil
	}
	return err
}

// record makes sure that a match is in the history, once, and on the disk.
func (f *folder) record(m match.Finished) error {
	lock, err := f.disk.lock(f.path(historyLock), true)
	if err != nil {
		return err
	}
	defer lock.Close()
	lines, next, _, err := readLines(f.disk, f.path(historyName), recent)
	if err != nil {
		return err
	}
	text := encode(m.Document())
	switch i := slices.IndexFunc(lines, func(text []byte) bool { return names(text, m.ID) }); {
	case i < 0:
	case i < len(lines)-1: // somebody has appended after it
		return nil
	default: // an attempt has failed: the kernel takes what fsync could not write for written (fsync(2))
		text = lines[i]
		next -= int64(len(text))
	}
	if err = writeLine(f.disk, f.path(historyName), next, text); err == nil && next == 0 { // the file is new
		err = f.disk.syncDir(f.dir)
	}
	return err
}

// History reads the finished matches of a folder, the oldest first. A line that is not a match yields a
// [match.Damage] with its number, and reading continues. An error of the disk ends the sequence. A folder without
// a history has no matches. History takes no lock, so it works while another program plays.
func History(dir string) iter.Seq2[match.Finished, error] { return history(osDisk{}, dir, 0) }

// history is like [History] for the last lines alone unless last is 0, however long the history is.
func history(d disk, dir string, last int) iter.Seq2[match.Finished, error] {
	return func(yield func(match.Finished, error) bool) {
		if dir == "" {
			return
		}
		name, most := filepath.Join(dir, historyName), int64(math.MaxInt64)
		if last > 0 {
			most = recent
		}
		lines, _, torn, err := readLines(d, name, most)
		if len(torn) > 0 {
			lines = append(lines, torn)
		}
		if last > 0 {
			lines = lines[max(0, len(lines)-last):]
		}
		for i, text := range lines {
			m, bad := decode(text, match.Document.Finished)
			if bad != nil && last == 0 {
				bad = match.Damage{Number: i + 1, Err: fmt.Errorf("%s, line %d: %w", name, i+1, bad)}
			}
			if !yield(m, bad) {
				return
			}
		}
		if err != nil {
			yield(match.Finished{}, fmt.Errorf("cannot read the history: %w", err))
		}
	}
}
