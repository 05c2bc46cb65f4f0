// Package store keeps matches on disk: the running one, which resumes after a power cut, and the
// finished ones, as a history. A folder holds
//
//	match.jsonl      the running match, a line for each save; the last whole line counts
//	match.jsonl.bad  a damaged match.jsonl; further ones are .bad2, .bad3, …
//	match.lock       locked by the program that saves its match in match.jsonl
//	matches.jsonl    the finished matches, a line each, the oldest first
//	matches.lock     locked while a match is entered
//
// Once a save is answered without an error, the match survives a power cut. A finished match is in the history,
// on the disk, before match.jsonl is removed: a match in both files is over. With a full or broken disk the game
// goes on without being saved. One goroutine writes ([Saver]); any goroutine may read ([History]).
package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

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

	maxFile = 1 << 20 // bytes after which match.jsonl starts anew: thousands of discs were taken back
)

// folder is a folder with the matches of one program. Only one goroutine uses it.
type folder struct {
	dir  string
	log  *slog.Logger
	disk disk

	lock    io.Closer    // not nil while this program's running match is saved in the folder
	another bool         // another program saves its match there, or has left one there to resume
	left    match.Record // to resume, if its ID is not empty
	running string       // ID of the match in match.jsonl, if this program has read or written it
	file    file         // match.jsonl, to append to; nil if the next save must start it anew
}

// open looks in a folder for a match to resume, and sets a damaged one aside. If open fails, it has changed
// nothing. The first program that opens the folder saves its running match there, others only finished matches.
func open(dir string, log *slog.Logger, d disk) (*folder, error) {
	f := &folder{dir: dir, log: log, disk: d}
	err := f.claim()
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), f.another:
		return f, nil // it is created when there is something to save
	case err == nil || cannotWrite(err):
		err = f.resume()
	}
	if err != nil {
		f.release()
		return nil, fmt.Errorf("store: cannot read the saved match, which stays unchanged: %w", err)
	}
	return f, nil
}

func (f *folder) path(name string) string { return filepath.Join(f.dir, name) }

// cannotWrite reports whether an error means that the disk is full or read-only.
func cannotWrite(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// claim locks the folder, unless another program has locked it.
func (f *folder) claim() (err error) {
	if there, err := f.disk.open(f.path(lockName), os.O_RDONLY); err == nil {
		there.Close()
	} else { // perhaps nobody has put the folder's own name on the disk
		for at := f.dir; at != filepath.Dir(at); {
			at = filepath.Dir(at)
			if err := f.disk.syncDir(at); err != nil && !errors.Is(err, fs.ErrPermission) {
				return err
			}
		}
	}
	if f.lock, err = f.disk.lock(f.path(lockName), false); errors.Is(err, errBusy) {
		f.yield("another c4hat that is open saves its match in this folder; this match is only added to the history when it is over")
		err = nil
	}
	return err
}

// yield leaves the running match of the folder alone.
func (f *folder) yield(why string) {
	f.another = true
	f.log.Warn(why, "folder", f.dir)
}

func (f *folder) release() {
	f.drop()
	if f.lock != nil {
		f.lock.Close()
	}
	f.lock = nil
}

// drop closes match.jsonl, so that the next save starts it anew.
func (f *folder) drop() {
	if f.file != nil {
		f.file.Close()
	}
	f.file = nil
}

// resume looks for a match to resume. The folder is synced: the last program may have been killed before it was.
func (f *folder) resume() error {
	if f.lock != nil {
		if err := f.disk.syncDir(f.dir); err != nil && !cannotWrite(err) {
			return err
		}
	}
	r, torn, err := f.read()
	var bad match.Damage
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.As(err, &bad):
		return f.setAside(bad)
	case err != nil:
		return err
	}
	f.running = r.ID
	over, err := f.over(r.ID)
	if err == nil && over && f.lock != nil { // the last program ended before it removed the file
		err = f.forget()
	}
	if cannotWrite(err) {
		err = nil
	}
	if over || err != nil {
		return err
	}
	if f.left = r; torn {
		f.log.Warn("the end of the saved match is incomplete; the match resumes before it", "match", r.ID)
	}
	return nil
}

// Left returns the match in a folder that can be resumed; ok is false if there is none or it cannot be read.
// Like [History] it takes no lock and changes nothing.
func Left(dir string) (r match.Record, ok bool) {
	f := &folder{dir: dir, disk: osDisk{}}
	r, _, err := f.read()
	if err != nil {
		return r, false
	}
	over, err := f.over(r.ID)
	return r, err == nil && !over
}

// read reads the running match. If the file was read and has no valid match, the error is a [match.Damage].
func (f *folder) read() (r match.Record, torn bool, err error) {
	decode := decodeMatch
	h, err := f.disk.open(f.path(matchName), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		decode = decodeOld
		h, err = f.disk.open(f.path(oldName), os.O_RDONLY)
	}
	if err != nil {
		return r, false, err
	}
	defer h.Close()
	data, err := io.ReadAll(io.LimitReader(h, 2*maxFile))
	if err == nil && f.lock != nil {
		if err = h.Sync(); cannotWrite(err) || errors.Is(err, syscall.EINVAL) { // EINVAL: a pipe
			err = nil
		}
	}
	if err != nil {
		return r, false, err
	}
	return decode(data)
}

func (f *folder) exists(name string) bool {
	h, err := f.disk.open(f.path(name), os.O_RDONLY)
	if err == nil {
		h.Close()
	}
	return !errors.Is(err, fs.ErrNotExist)
}

// setAside renames a damaged match, so that it is neither read at every start nor replaced.
func (f *folder) setAside(reason match.Damage) error {
	from, to := matchName, damagedName
	if !f.exists(from) {
		from = oldName
	}
	for n := 2; f.exists(to); n++ {
		to = damagedName + strconv.Itoa(n)
	}
	err := f.disk.rename(f.path(from), f.path(to))
	if cannotWrite(err) {
		f.release() // prepare sees the file, and does not replace it
		f.log.Error("the saved match is damaged", "reason", reason)
		return nil
	}
	if err == nil {
		f.log.Error("the saved match is damaged and was set aside", "as", f.path(to), "reason", reason)
	}
	return err
}

// prepare creates and claims the folder. A match that open could not read, for example because the disk was
// plugged in later, is not replaced.
func (f *folder) prepare() error {
	if f.another || f.lock != nil {
		return nil
	}
	err := f.disk.mkdirAll(f.dir)
	if err == nil {
		err = f.claim()
	}
	if err == nil && f.lock != nil && f.running == "" && (f.exists(matchName) || f.exists(oldName)) {
		f.release()
		f.yield("this folder has a match to resume at the next start; until then no match is saved")
	}
	return err
}

// save saves the running match, unless the folder has another program's. It is on the disk then. After an error,
// either the match before or this one is saved.
func (f *folder) save(r match.Record) error {
	line, err := encode(r.Document())
	if err != nil {
		return err
	}
	if err = f.write(r.ID, line); f.gone(err) {
		err = f.write(r.ID, line)
	}
	if err != nil {
		f.drop()
		return fmt.Errorf("store: the match is not saved: %w", err)
	}
	return nil
}

// gone reports whether an error means that the folder was removed. If it was, prepare creates it again.
func (f *folder) gone(err error) bool {
	if !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	f.release()
	f.running = ""
	return true
}

func (f *folder) write(id string, line []byte) error {
	if err := f.prepare(); err != nil || f.lock == nil {
		return err
	}
	if f.file != nil && f.running == id {
		if size, named, err := f.file.stat(f.path(matchName)); err == nil && named && size < maxFile {
			if _, err = f.file.Write(line); err == nil {
				err = f.file.Sync()
			}
			return err
		}
	}
	return f.begin(id, line)
}

// begin starts match.jsonl anew. Whenever the power is cut, the old file or the new one is there.
func (f *folder) begin(id string, line []byte) error {
	f.drop()
	if err := f.remove(newName); err != nil { // of a program that was killed
		return err
	}
	h, err := f.disk.open(f.path(newName), os.O_WRONLY|os.O_CREATE|os.O_EXCL)
	if err != nil {
		return err
	}
	if _, err = h.Write(line); err == nil {
		err = h.Sync()
	}
	if err = errors.Join(err, h.Close()); err == nil { // Windows renames no open file
		err = f.disk.rename(f.path(newName), f.path(matchName))
	}
	if err != nil {
		_ = f.remove(newName)
		return err
	}
	f.running = id
	if h, err = f.disk.open(f.path(matchName), os.O_WRONLY|os.O_APPEND); err == nil {
		f.file = h // otherwise the next save starts the file anew
	}
	if err = f.disk.syncDir(f.dir); err == nil {
		err = f.remove(oldName)
	}
	return err
}

// forget removes the running match.
func (f *folder) forget() error {
	f.drop()
	if err := errors.Join(f.remove(oldName), f.remove(matchName)); err != nil {
		return err
	}
	f.running = ""
	return nil
}

func (f *folder) remove(name string) error {
	if err := f.disk.remove(f.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// finish enters a match into the history, unless line is nil, and removes match.jsonl if it has that match.
func (f *folder) finish(id string, line []byte) error {
	err := f.prepare()
	if err == nil && line != nil {
		err = f.record(id, line)
	}
	if f.gone(err) { // the next call tries again
		return err
	}
	if err == nil && f.lock != nil && id == f.running {
		if err = f.forget(); err == nil && line == nil {
			err = f.disk.syncDir(f.dir)
		}
	}
	if err != nil {
		return fmt.Errorf("store: not in the history yet: %w", err)
	}
	return nil
}
