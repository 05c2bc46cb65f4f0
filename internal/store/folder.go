// Package store keeps matches on disk: the running one, which resumes after a power cut, and the
// finished ones, as a history. A folder holds
//
//	match.jsonl      the running match, a line for each save; the last good line counts
//	match.jsonl.bad  a match.jsonl without a good line; further ones are .bad2, .bad3, …
//	match.jsonl.tmp  what replaces match.jsonl
//	match.lock       locked by the program that saves its match in match.jsonl
//	matches.jsonl    the finished matches, a line each, the oldest first
//	matches.lock     locked while a match is entered
//
// Once a save is answered without an error, the match survives a power cut. A finished match is in the history,
// on the disk, before match.jsonl is removed: a match in both files is over. With a full or broken disk the game
// goes on without being saved. One goroutine writes ([Saver]); any goroutine may read ([History]).
package store

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/c4hat/c4hat/internal/match"
)

const (
	matchName   = "match.jsonl"
	oldName     = "match.json" // of c4hat 0.3
	newName     = "match.jsonl.tmp"
	damagedName = "match.jsonl.bad"
	lockName    = "match.lock"
	historyName = "matches.jsonl"
	historyLock = "matches.lock"

	recent  = 32      // of how many last matches one may still be in match.jsonl
	maxSize = 1 << 19 // of match.jsonl, which then starts anew, and of the end of the history that is read to append
)

// Errors of a folder whose running match is another's. Matches that are over are entered nevertheless.
var (
	ErrOpen  = errors.New("another c4hat that is open saves its match in this folder; this match is only added to the history when it is over")
	errOther = errors.New("this folder has a match to resume at the next start; until then no match is saved")
	errNone  = errors.New("there is no home folder")
)

// folder is a folder with the matches of one program. Only one goroutine uses it.
type folder struct {
	dir  string // empty: nothing is saved
	log  *slog.Logger
	disk disk

	lock   io.Closer // nil if the folder is not locked
	id     string    // this program's match in match.jsonl
	synced bool      // all of match.jsonl was synced by this program
}

func (f *folder) path(name string) string { return filepath.Join(f.dir, name) }

// look returns the error of opening a file.
func (f *folder) look(name string) error {
	h, err := f.disk.open(f.path(name), os.O_RDONLY)
	if err == nil {
		h.Close()
	}
	return err
}

// claim creates and locks the folder, unless it is locked.
func (f *folder) claim() error {
	switch {
	case f.lock != nil:
		return nil
	case f.dir == "":
		return errNone
	}
	err := f.disk.mkdirAll(f.dir)
	if f.look(lockName) != nil { // perhaps nobody has put the folder's own name on the disk
		for at := f.dir; err == nil && at != filepath.Dir(at); {
			at = filepath.Dir(at)
			err = syncDir(f.disk, at)
		}
	}
	if err == nil {
		f.lock, err = f.disk.lock(f.path(lockName), false)
	}
	if err == nil && errors.Is(f.look(matchName), fs.ErrNotExist) && f.look(oldName) == nil {
		err = f.disk.rename(f.path(oldName), f.path(matchName))
	}
	return err
}

// release unlocks the folder. Then everything is looked at again, and match.jsonl starts anew.
func (f *folder) release() {
	if f.lock != nil {
		f.lock.Close()
	}
	f.lock, f.synced = nil, false
}

// load reads the running match, if there is one. size is that of its file, or 0 if its end is not good. If nothing
// is good, the file of a folder that is locked is set aside.
func (f *folder) load() (r match.Record, size int64, err error) {
	data, before, err := readEnd(f.disk, f.path(matchName), maxSize)
	if err != nil || data == nil {
		return r, 0, err
	}
	r, good, damage := decodeMatch(data)
	switch {
	case damage != nil && f.lock != nil:
		err = f.setAside(damage)
	case good == len(data):
		size = before + int64(good)
	}
	return r, size, err
}

// setAside renames a damaged match, so that it is neither read at every start nor replaced.
func (f *folder) setAside(reason error) error {
	name, err := damagedName, f.look(damagedName)
	for n := 2; err == nil; n++ {
		name = damagedName + strconv.Itoa(n)
		err = f.look(name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = f.disk.rename(f.path(matchName), f.path(name))
	}
	if err == nil {
		f.log.Error("the saved match is damaged and was set aside", "as", f.path(name), "reason", reason)
	}
	return err
}

// running is like load. over has the same match from the history if it is over.
func (f *folder) running() (r match.Record, size int64, over []match.Finished, err error) {
	if r, size, err = f.load(); r.ID == "" {
		return r, size, nil, err
	}
	for m, err := range history(f.disk, f.dir, recent) {
		switch {
		case err == nil && m.ID == r.ID:
			over = []match.Finished{m}
		case err != nil && !errors.As(err, new(match.Damage)):
			return r, size, nil, err
		}
	}
	return r, size, over, nil
}

// Left returns the match in a folder that can be resumed; ok is false if there is none or it cannot be read.
// Like [History] it takes no lock and changes nothing.
func Left(dir string) (r match.Record, ok bool) {
	r, _, over, err := (&folder{dir: dir, disk: osDisk{}}).running()
	return r, dir != "" && err == nil && r.ID != "" && over == nil
}

// open returns the match to resume, if its ID is not empty. If nothing can be saved, unsaved says why: of a file that
// cannot be read, nothing is changed.
func (f *folder) open() (left match.Record, unsaved error) {
	if unsaved = f.claim(); unsaved == errNone || errors.Is(unsaved, ErrOpen) {
		return left, unsaved
	}
	r, size, over, err := f.running()
	if err != nil {
		f.release()
		return left, fmt.Errorf("cannot read the saved match, which stays unchanged: %w", err)
	}
	if f.id = r.ID; over == nil {
		left = r
	}
	if left.ID != "" && size == 0 {
		f.log.Warn("the end of the saved match is incomplete; the match resumes before it", "match", r.ID)
	}
	_, unsaved = f.write(over, left) // what the last program wrote before it was killed may not be synced
	return left, unsaved
}

// write finishes matches, and then saves the one under way if its ID is not empty. entered reports whether the history
// has all of the former. After an error the folder is released: it may have been removed.
func (f *folder) write(over []match.Finished, r match.Record) (entered bool, err error) {
	var there match.Record
	var size int64
	if err = f.claim(); err == nil {
		there, size, err = f.load()
	}
	if err == nil && there.ID != "" && there.ID != f.id { // for example because the disk was plugged in later
		err = errOther
	}
	entered = err == nil || errors.Is(err, ErrOpen) || err == errOther
	for _, m := range over {
		if entered {
			failed := f.finish(m, there.ID)
			entered, err = failed == nil, cmp.Or(failed, err)
		}
	}
	if err == nil && r.ID != "" {
		err = f.save(r, there.ID, size)
	}
	if err != nil {
		f.release()
	}
	return entered, err
}

// finish enters a match into the history, unless it has no disc, and removes match.jsonl if it is there.
func (f *folder) finish(m match.Finished, there string) (err error) {
	if m.Begun() {
		err = f.record(m)
	}
	if err == nil && there == m.ID {
		if err = f.disk.remove(f.path(matchName)); err == nil {
			err = syncDir(f.disk, f.dir)
		}
	}
	return err
}

// save adds a line to match.jsonl, if that has a match of this ID and size, or else starts it anew. Whenever the power
// is cut, the old line or the new one is there.
func (f *folder) save(r match.Record, there string, size int64) error {
	line := encode(r.Document())
	if f.synced && there == r.ID && 0 < size && size < maxSize {
		return add(f.disk, f.path(matchName), size, line)
	}
	err := add(f.disk, f.path(newName), 0, line)
	if err == nil {
		err = f.disk.rename(f.path(newName), f.path(matchName))
	}
	if err == nil {
		f.id, f.synced = r.ID, true
		err = syncDir(f.disk, f.dir)
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
	end, before, err := readEnd(f.disk, f.path(historyName), maxSize)
	if err != nil {
		return err
	}
	line, id := encode(m.Document()), []byte(`"id":"`+m.ID+`"`)
	end = bytes.TrimRight(end, "\x00")
	last := end[bytes.LastIndexByte(bytes.TrimSuffix(end, []byte("\n")), '\n')+1:]
	switch {
	// What an attempt that failed, or a power cut, has left is written again: the kernel takes what fsync could
	// not write for written (fsync(2)).
	case bytes.Contains(last, id), bytes.HasPrefix(line, last):
		end = end[:len(end)-len(last)]
	case bytes.Contains(end, id): // somebody has appended after it
		return nil
	case !bytes.HasSuffix(last, []byte("\n")):
		line = append([]byte("\n"), line...)
	}
	at := before + int64(len(end))
	if err = add(f.disk, f.path(historyName), at, line); err == nil && at == 0 { // the file is new
		err = syncDir(f.disk, f.dir)
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
			most = int64(last) << 10 // a match has about 300 bytes
		}
		data, before, err := readEnd(d, name, most)
		if before > 0 {
			_, data, _ = bytes.Cut(data, []byte("\n")) // the first is the end of a line
		}
		lines := bytes.FieldsFunc(data, func(r rune) bool { return r == '\n' })
		if last > 0 {
			lines = lines[max(0, len(lines)-last):]
		}
		for i, line := range lines {
			m, bad := decode(line, match.Document.Finished)
			if bad != nil && last == 0 {
				bad = match.Damage{Number: i + 1, Err: fmt.Errorf("store: %s, line %d: %w", name, i+1, bad)}
			}
			if !yield(m, bad) {
				return
			}
		}
		if err != nil {
			yield(match.Finished{}, fmt.Errorf("store: cannot read the history: %w", err))
		}
	}
}
