// Package store keeps matches on disk: the running one, which resumes after a power cut, and the
// finished ones, as a history. A folder holds
//
//	match.jsonl      the running match, a line for each save; the last good line counts
//	match.jsonl.bad  a match.jsonl without a good line; further ones are .bad2, .bad3, …
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
	"log/slog"
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

// folder is a folder with the matches of one program. Only one goroutine uses it.
type folder struct {
	dir  string // empty: nothing is saved
	log  *slog.Logger
	disk disk

	lock    io.Closer // nil if the folder is not locked
	another bool      // the running match there is not this program's, which enters only finished ones
	id      string    // this program's match in match.jsonl
	synced  bool      // all of match.jsonl was synced by this program
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
	if f.lock != nil || f.another {
		return nil
	}
	err := f.disk.mkdirAll(f.dir)
	if f.look(lockName) != nil { // perhaps nobody has put the folder's own name on the disk
		for at := f.dir; err == nil && at != filepath.Dir(at); {
			at = filepath.Dir(at)
			err = f.disk.syncDir(at)
		}
	}
	if err == nil {
		f.lock, err = f.disk.lock(f.path(lockName), false)
	}
	switch {
	case errors.Is(err, errBusy):
		f.yield("another c4hat that is open saves its match in this folder; this match is only added to the history when it is over")
		return nil
	case err == nil && errors.Is(f.look(matchName), fs.ErrNotExist) && f.look(oldName) == nil:
		err = f.disk.rename(f.path(oldName), f.path(matchName))
	}
	return err
}

// yield leaves the running match of the folder alone.
func (f *folder) yield(why string) {
	f.release()
	f.another = true
	f.log.Warn(why, "folder", f.dir)
}

// release unlocks the folder. After an error everything is looked at again, and match.jsonl starts anew.
func (f *folder) release() {
	if f.lock != nil {
		f.lock.Close()
	}
	f.lock, f.synced = nil, false
}

// load reads the running match, if there is one. size is that of its file, or 0 if its end is not good. A file
// without a good line is a [match.Damage].
func (f *folder) load() (r match.Record, size int, err error) {
	data, _, err := readEnd(f.disk, f.path(matchName), 0)
	if err != nil || data == nil {
		return r, 0, err
	}
	return decodeMatch(data)
}

// Left returns the match in a folder that can be resumed; ok is false if there is none or it cannot be read.
// Like [History] it takes no lock and changes nothing.
func Left(dir string) (r match.Record, ok bool) {
	f := &folder{dir: dir, disk: osDisk{}}
	r, _, err := f.load()
	over, errOver := f.find(r.ID)
	return r, cmp.Or(err, errOver) == nil && r.ID != "" && over.ID == ""
}

// resume returns the match to resume, if its ID is not empty. If a file cannot be read, unread says so, and nothing
// was changed. If the folder cannot be written, unsaved says why.
func (f *folder) resume() (left match.Record, unread, unsaved error) {
	if f.claim() != nil { // write says why
		f.release()
	}
	r, size, err := f.load()
	over, errOver := f.find(r.ID)
	switch {
	case f.another:
		return left, nil, nil
	case err != nil && !errors.As(err, new(match.Damage)), errOver != nil:
		f.release()
		return left, fmt.Errorf("store: cannot read the saved match, which stays unchanged: %w; --state names another folder", cmp.Or(err, errOver)), nil
	}
	// What the last program wrote before it was killed may not be synced.
	if f.id = r.ID; over.ID != "" {
		_, unsaved = f.write([]match.Finished{over}, match.Record{})
		return left, nil, unsaved
	}
	if r.ID != "" && size == 0 {
		f.log.Warn("the end of the saved match is incomplete; the match resumes before it", "match", r.ID)
	}
	_, unsaved = f.write(nil, r)
	return r, nil, unsaved
}

// setAside renames a damaged match, so that it is neither read at every start nor replaced.
func (f *folder) setAside(reason error) error {
	name := damagedName
	err := f.look(name)
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

// write finishes matches, and then saves the one under way if its ID is not empty. finished is how many are in the
// history. What fails is tried once more in the folder locked anew, since it may have been removed.
func (f *folder) write(over []match.Finished, r match.Record) (finished int, err error) {
	if f.dir == "" {
		return len(over), nil
	}
	for range 2 {
		n := 0
		n, err = f.tryWrite(over[finished:], r)
		if finished += n; err == nil {
			break
		}
		f.release()
	}
	return finished, err
}

// tryWrite does not touch a match that this program did not start or resume, for example because the disk was
// plugged in later.
func (f *folder) tryWrite(over []match.Finished, r match.Record) (finished int, err error) {
	if err = f.claim(); err != nil {
		return 0, err
	}
	there, size, err := f.load()
	switch {
	case f.another:
		err = nil
	case errors.As(err, new(match.Damage)):
		err = f.setAside(err)
	case err == nil && there.ID != "" && there.ID != f.id:
		f.yield("this folder has a match to resume at the next start; until then no match is saved")
	}
	for err == nil && finished < len(over) {
		m := over[finished]
		if m.Begun() {
			err = f.record(m)
		}
		if err == nil && !f.another && there.ID == m.ID {
			err = f.disk.remove(f.path(matchName))
		}
		if err == nil && !m.Begun() {
			err = f.disk.syncDir(f.dir)
		}
		if err == nil {
			finished++
		}
	}
	if err != nil || f.another || r.ID == "" {
		return finished, err
	}
	line := encode(r.Document())
	switch {
	case f.synced && there.ID == r.ID && 0 < size && size < maxSize:
		err = f.add(matchName, int64(size), line)
	default:
		err = f.begin(r.ID, line)
	}
	return finished, err
}

// begin starts match.jsonl anew. Whenever the power is cut, the old file or the new one is there.
func (f *folder) begin(id string, line []byte) error {
	err := f.add(newName, 0, line)
	if err == nil {
		err = f.disk.rename(f.path(newName), f.path(matchName))
	}
	if err != nil {
		_ = f.disk.remove(f.path(newName))
		return err
	}
	f.id, f.synced = id, true
	return f.disk.syncDir(f.dir)
}

// record makes sure that a match is in the history, once, and on the disk.
func (f *folder) record(m match.Finished) error {
	lock, err := f.disk.lock(f.path(historyLock), true)
	if err != nil {
		return err
	}
	defer lock.Close()
	line := encode(m.Document())
	end, before, err := readEnd(f.disk, f.path(historyName), maxSize)
	if err != nil {
		return err
	}
	end = bytes.TrimRight(end, "\x00")
	last := end[bytes.LastIndexByte(bytes.TrimSuffix(end, []byte("\n")), '\n')+1:]
	ours, _, _ := bytes.Cut(line, []byte(`,"board"`))
	switch {
	// What an attempt that failed, or a power cut, has left is written again: the kernel takes what fsync could
	// not write for written (fsync(2)).
	case bytes.HasPrefix(last, ours), bytes.HasPrefix(ours, last):
		end = end[:len(end)-len(last)]
	case bytes.Contains(end, []byte(`"id":"`+m.ID+`"`)): // somebody has appended after it
		line = nil
	case !bytes.HasSuffix(last, []byte("\n")):
		line = append([]byte("\n"), line...)
	}
	at := before + int64(len(end))
	if err = f.add(historyName, at, line); err == nil && at == 0 { // the file is new
		err = f.disk.syncDir(f.dir)
	}
	return err
}

// add ends a file with a line, from an offset on, and syncs it.
func (f *folder) add(name string, at int64, line []byte) error {
	h, err := f.disk.open(f.path(name), os.O_WRONLY|os.O_CREATE)
	if err != nil {
		return err
	}
	defer h.Close() // before the file is renamed, for Windows
	if _, err = h.Seek(at, io.SeekStart); err == nil {
		_, err = h.Write(line)
	}
	if err == nil {
		err = h.Truncate(at + int64(len(line)))
	}
	if err == nil {
		err = h.Sync()
	}
	return err
}
