// Package store keeps matches on disk: the running one, which resumes after a power cut,
// and the finished ones, as a history.
//
// A folder holds
//
//	match.json      the running match: its document, one line for each change, and zeros, see [journal];
//	                while no program runs, its document alone
//	match.json.tmp  the next match.json while its first lines are being written
//	match.json.bad  a damaged match.json, kept for inspection; further ones are .bad2, .bad3, …
//	match.lock      locked by the program that saves its match in match.json
//	matches.jsonl   the finished matches, one per line, the oldest first; if it was too
//	                long, its first line counts the matches that were dropped
//	matches.jsonl.tmp  the next matches.jsonl while it is being shortened, once in years
//
// The package is made for machines that are switched off by pulling the plug. Once a save is
// answered without an error, the match is on the disk. A finished match is in the history exactly
// once, wherever the power was cut. With a full or broken disk, the game continues without being
// saved. One goroutine writes ([Saver]); any goroutine may read ([History]).
package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/c4hat/c4hat/internal/match"
)

const (
	matchName   = "match.json"
	newName     = "match.json.tmp"
	damagedName = "match.json.bad"
	lockName    = "match.lock"

	// maxLate is the largest number of finished matches that wait in memory for the history.
	maxLate = 1000

	// maxDamaged is how many damaged matches are kept for inspection.
	maxDamaged = 100
)

// folder is a folder with the matches of one program. Only one goroutine uses it, except for
// [folder.write].
type folder struct {
	dir   string
	log   *slog.Logger
	disk  disk
	now   func() time.Time
	limit int64 // see historyLimit

	lock    file // not nil while this program's running match is saved in the folder
	another bool // another program saves its match in the folder, or has left one there to resume

	left    match.Record // to resume, if its ID is not empty
	saved   match.Record // what is in match.json, if its ID is not empty
	stale   bool         // the match in saved is over, so match.json can be removed
	journal journal      // of match.json, if file is not nil
	file    file         // match.json, to add lines to; nil if the next save must write it anew
	written *written     // the next match.json, if it was written ahead

	over     string           // ID of the match that was finished last
	late     []match.Finished // finished matches that are not yet in the history
	unsynced unsynced         // in the history, but not on the disk
	trimming *trimming        // nil unless the history is too long

	// What [folder.sync] has to do.
	appended bool // match.json has lines that are perhaps not on the disk
	renamed  bool // names in the folder have changed, perhaps not on the disk

	untrimmed sync.Once // logs that the history cannot be shortened
}

// open looks in a folder for a match to resume, and sets a damaged one aside. If open fails, it has
// changed nothing. A missing folder is created when there is something to save; only its user can
// open it. The first program that opens the folder saves its running match there; others save only
// their finished matches.
func open(dir string, log *slog.Logger, d disk, now func() time.Time) (*folder, error) {
	f := &folder{dir: dir, log: log, disk: d, now: now, limit: historyLimit}
	err := f.claim()
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), f.another:
		return f, nil
	case cannotWrite(err): // the folder may still have a match to resume
		err = nil
	}
	if err == nil {
		err = f.find()
	}
	if err == nil && f.lock != nil { // an earlier program may have been killed before it did
		if err = f.disk.syncDir(dir); cannotWrite(err) {
			err = nil
		}
		f.renamed = err != nil
	}
	if err != nil {
		f.release()
		return nil, fmt.Errorf("store: cannot read the saved match, which stays unchanged: %w", err)
	}
	return f, nil
}

func (f *folder) path(name string) string { return filepath.Join(f.dir, name) }

func notSaved(err error) error { return fmt.Errorf("store: the match is not saved: %w", err) }

// prepare creates the folder if necessary, and claims it.
func (f *folder) prepare() error {
	if f.another || f.lock != nil {
		return nil
	}
	err := f.claim()
	if errors.Is(err, fs.ErrNotExist) {
		if err = f.disk.mkdirAll(f.dir); err == nil {
			err = f.claim()
		}
	}
	if err == nil {
		err = f.yield()
	}
	if err != nil {
		return notSaved(err)
	}
	return nil
}

// claim locks the folder, unless another program has locked it.
func (f *folder) claim() error {
	lock, err := f.disk.open(f.path(lockName), os.O_RDWR)
	if errors.Is(err, fs.ErrNotExist) {
		if err = f.root(); err == nil {
			lock, err = f.disk.open(f.path(lockName), os.O_RDWR|os.O_CREATE)
		}
	}
	if err != nil {
		return err
	}
	if err := lock.lock(false); err != nil {
		lock.Close()
		f.another = true
		f.log.Warn("another c4hat that is open saves its match in this folder; this match is only added to the history when it is over",
			"folder", f.dir)
		return nil
	}
	f.lock, f.renamed = lock, true
	return nil
}

// root puts the folder's own name on the disk. If the folder has a lock, this was done before.
func (f *folder) root() error {
	for above := filepath.Dir(f.dir); ; above = filepath.Dir(above) {
		// A parent that this user cannot open needs no sync: another user created it.
		if err := f.disk.syncDir(above); err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
		if above == filepath.Dir(above) {
			return nil
		}
	}
}

// yield releases the folder if it holds a match that [open] could not read, for example because the
// disk with the folder was plugged in later. Without yield, the first save would replace that match.
func (f *folder) yield() error {
	if f.another || f.saved.ID != "" {
		return nil
	}
	there, err := f.disk.open(f.path(matchName), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	f.release()
	if err != nil {
		return err
	}
	there.Close()
	f.another = true
	f.log.Warn("this folder has a match to resume at the next start; until then no match is saved",
		"folder", f.dir)
	return nil
}

func (f *folder) release() {
	f.drop()
	if f.lock != nil {
		f.lock.Close()
		f.lock = nil
	}
}

// drop closes match.json, so that the next save writes it anew.
func (f *folder) drop() {
	f.appended = false
	if f.file != nil {
		f.file.Close()
		f.file = nil
	}
}

// forget returns err. If err means that the folder was removed, forget also drops the folder's
// state, so that the next save creates and claims it again.
func (f *folder) forget(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		f.release()
		f.another, f.stale = false, false
		f.saved = match.Record{}
	}
	return err
}

// find looks for a match to resume.
func (f *folder) find() error {
	m, torn, err := f.read(matchName)
	if errors.Is(err, fs.ErrNotExist) {
		m, torn, err = f.takeBack()
	}
	var bad match.Damage
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.As(err, &bad):
		return f.setAside(bad)
	case err != nil:
		return err
	}
	e, err := f.recorded(m.ID)
	if err != nil {
		return err
	}
	f.saved = m
	switch {
	case e.ID != "":
		// The last program ended while it finished the match, possibly before the match's line was on
		// the disk. The next call completes that.
		f.late = append(f.late, e)
		return nil
	case torn:
		f.log.Warn("the end of the saved match is incomplete; the match resumes before it", "match", m.ID)
	}
	f.left = m
	return nil
}

// Left returns the match in a folder that can be resumed; ok is false if there is none or it
// cannot be read. Like [History] it takes no lock and changes nothing.
func Left(dir string) (m match.Record, ok bool) {
	f := &folder{dir: dir, log: slog.New(slog.DiscardHandler), disk: osDisk{}}
	m, _, err := f.read(matchName)
	if err != nil {
		return m, false
	}
	e, err := f.recorded(m.ID)
	return m, err == nil && e.ID == "" // if it is in the history, it is over
}

// read reads a match. The error is a [match.Damage] if the file is not a regular file, or was read
// without an error but has no valid match.
func (f *folder) read(name string) (m match.Record, torn bool, err error) {
	h, err := f.disk.open(f.path(name), os.O_RDONLY)
	if errors.Is(err, errIrregular) {
		return m, false, match.Damage{Err: err}
	}
	if err != nil {
		return m, false, err
	}
	defer h.Close()
	data, err := io.ReadAll(io.LimitReader(h, cutSize))
	if err == nil && f.lock != nil { // what resumes must survive, even if the last program was killed
		if err = h.Sync(); cannotWrite(err) {
			err = nil
		}
	}
	if err != nil {
		return m, false, err
	}
	return decodeMatch(data)
}

// asides returns the name of the match that was set aside last, and the name for the next one.
func (f *folder) asides() (last, next string, err error) {
	next = f.path(damagedName)
	for n := 2; n <= maxDamaged; n++ {
		there, err := f.disk.open(next, os.O_RDONLY)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return last, next, nil
		case err == nil:
			there.Close()
		case !errors.Is(err, errIrregular):
			return "", "", err
		}
		last, next = next, f.path(damagedName)+strconv.Itoa(n)
	}
	return last, next, nil
}

// setAside renames a damaged match, so that it is neither read at every start nor replaced by the
// next match.
func (f *folder) setAside(reason match.Damage) error {
	_, name, err := f.asides()
	if err == nil {
		err = f.disk.rename(f.path(matchName), name)
	}
	switch {
	case cannotWrite(err):
		f.log.Error("the saved match is damaged", "reason", reason)
		f.release() // see yield
		return nil
	case err != nil:
		return err
	}
	f.log.Error("the saved match is damaged and was set aside", "as", name, "reason", reason)
	return nil
}

// takeBack restores the match that was set aside last, if this version of the program can read it.
// An older version may have set it aside because only newer versions can read it.
func (f *folder) takeBack() (m match.Record, torn bool, err error) {
	name, _, err := f.asides()
	if err == nil && name != "" {
		m, torn, err = f.read(filepath.Base(name))
	}
	if err == nil && name != "" {
		err = f.disk.rename(name, f.path(matchName))
	}
	if err != nil || name == "" {
		return m, false, fs.ErrNotExist
	}
	f.log.Info("resuming the match that an older version set aside", "match", m.ID)
	return m, torn, nil
}

// save saves the running match, by one write to match.json, unless the folder has another program's
// match. The match survives the end of the program then, and a power cut once sync has
// nothing more to do. After an error, either the old match or this one is saved. A match that is
// over is not saved again, and it enters the history before the next one is saved.
func (f *folder) save(r match.Record) error {
	w := f.written
	f.written = nil
	_, err := r.Document()
	if err == nil {
		err = f.flush()
	}
	if err == nil {
		err = f.prepare()
	}
	if err != nil || f.lock == nil || r.ID == f.over || f.file != nil && r == f.saved {
		f.discard(w)
		return err
	}
	if f.file != nil {
		_, named, err := f.file.stat(f.path(matchName))
		if j, line, ok := f.journal.change(r); ok && named && err == nil {
			if _, err := f.file.WriteAt(j.fill(line), int64(f.journal.size)); err != nil {
				f.drop()
				return notSaved(err)
			}
			f.journal, f.saved, f.appended = j, r, true
			return nil
		}
	}
	if w == nil || w.err != nil || w.journal.match != r {
		f.discard(w)
		w = f.write(r)
	}
	if err = w.err; err == nil {
		err = f.disk.rename(f.path(newName), f.path(matchName))
	}
	if err != nil {
		f.discard(w)
		return notSaved(f.forget(err))
	}
	f.drop()
	f.file, f.journal, f.saved = w.file, w.journal, r
	f.stale, f.renamed = false, true
	return nil
}

// written is a match.json that still has the name match.json.tmp.
type written struct {
	file    file
	journal journal
	err     error
}

// write writes a match to match.json.tmp and syncs it, so that renaming it replaces match.json
// whenever the power is cut. It may run beside finish.
func (f *folder) write(r match.Record) *written {
	j, data, err := newJournal(r)
	if err != nil {
		return &written{err: err}
	}
	h, err := createNew(f.disk, f.path(newName), bytes.NewReader(data))
	return &written{h, j, err}
}

func (f *folder) discard(w *written) {
	if w != nil && w.file != nil {
		w.file.Close()
		_ = f.disk.remove(f.path(newName))
	}
}

// unsure reports whether sync has something to do.
func (f *folder) unsure() bool { return f != nil && (f.appended || f.renamed) }

// sync does one of the things that make what was saved survive a power cut.
func (f *folder) sync() (err error) {
	switch {
	case f.appended:
		// After a failed fsync the kernel treats the data as written, and the next fsync succeeds
		// although the data is not on the disk (fsync(2), EIO).
		if err = f.file.Sync(); err != nil {
			f.drop()
		}
		f.appended = false
	case f.renamed:
		err = f.disk.syncDir(f.dir)
		f.renamed = err != nil
	}
	if err != nil {
		return notSaved(f.forget(err))
	}
	return nil
}

func (f *folder) syncAll() error {
	for f.unsure() {
		if err := f.sync(); err != nil {
			return err
		}
	}
	return nil
}

// finish enters a match into the history, and removes match.json if it has that match. The match
// was either decided by its last round or abandoned. A match that was abandoned before its first
// disc is not entered. After a disk error the match waits in memory, and save, finish and close try
// again. A match that is already in the history stays unchanged.
func (f *folder) finish(r match.Record, abandoned bool) error {
	e := match.Finish(r, abandoned, f.now())
	if _, err := encodeFinished(e); err != nil {
		return err
	}
	switch {
	case r.ID == f.over:
	case r.Begun():
		f.late = append(f.late, e)
	case r.ID == f.saved.ID:
		f.stale = true
	}
	f.over = r.ID
	err := f.flush()
	if len(f.late) > maxLate {
		f.log.Error("too many matches wait for the disk: one is lost", "match", f.late[0].ID)
		f.late = slices.Delete(f.late, 0, 1)
	}
	return err
}

// flush enters the waiting matches into the history, and removes match.json if its match is over.
func (f *folder) flush() error {
	if len(f.late) == 0 && !f.stale {
		return nil
	}
	if err := f.prepare(); err != nil {
		return err
	}
	for len(f.late) > 0 {
		e := f.late[0]
		if err := f.record(e); err != nil {
			return fmt.Errorf("store: not in the history yet: %w", f.forget(err))
		}
		f.late = slices.Delete(f.late, 0, 1)
		f.stale = f.stale || e.ID == f.saved.ID
	}
	if !f.stale || f.lock == nil {
		return nil
	}
	if err := f.disk.remove(f.path(matchName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("store: the match is in the history, but match.json cannot be removed: %w", err)
	}
	f.drop()
	f.saved, f.stale, f.renamed = match.Record{}, false, true
	return nil
}

// close tries once more to write the finished matches that are waiting, and unlocks the folder. The
// running match stays in the folder.
func (f *folder) close() error {
	f.stopTrimming()
	f.discard(f.written)
	err := f.flush()
	if err == nil {
		err = f.syncAll()
	}
	if err == nil && f.lock != nil && f.saved.ID != "" {
		// A single line, which c4hat 0.1 and 0.2 read as well: so the match goes on after a downgrade.
		// If the line cannot be written, the journal stays, and resumes too.
		if line, err := sealLine(f.saved.Document()); err == nil {
			_ = f.replace(matchName, newName, bytes.NewReader(line))
		}
	}
	f.release()
	return err
}

// replace gives a new file with this content the name of another one. Whenever the power is cut, one
// of the two has the name.
func (f *folder) replace(name, tmp string, content io.Reader) error {
	h, err := createNew(f.disk, f.path(tmp), content)
	if err != nil {
		return err
	}
	h.Close()
	if err := f.disk.rename(f.path(tmp), f.path(name)); err != nil {
		_ = f.disk.remove(f.path(tmp))
		return err
	}
	f.renamed = true
	return f.disk.syncDir(f.dir)
}
