package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/c4hat/c4hat/internal/game"
)

const lockName = "match.lock"

// prepare creates the folder if necessary, and claims it.
func (s *Store) prepare() error {
	if s.another || s.lock != nil {
		return nil
	}
	err := s.claim()
	if errors.Is(err, fs.ErrNotExist) {
		if err = s.disk.mkdirAll(s.dir); err == nil {
			err = s.claim()
		}
	}
	if err == nil {
		err = s.yield()
	}
	if err != nil {
		return notKept(err)
	}
	return nil
}

// cannotWrite reports whether an error means that the disk is full or read-only.
func cannotWrite(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// syncFolder makes all changes in the folder, and the folder itself, survive a power cut.
func (s *Store) syncFolder() error {
	s.syncing.Lock() // another goroutine may be syncing this goroutine's changes
	defer s.syncing.Unlock()
	if !s.renamed.Swap(false) {
		return nil
	}
	if err := s.disk.syncDir(s.dir); err != nil {
		s.renamed.Store(true)
		return err
	}
	if !s.rooted.Load() {
		s.rooted.Store(s.root())
	}
	return nil
}

// claim locks the folder, unless another program has locked it.
func (s *Store) claim() error {
	f, err := s.disk.open(s.path(lockName), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	s.renamed.Store(true) // assume so: an earlier program may have been killed before it called Sync
	if err := f.lock(false); err != nil {
		f.Close() // an error loses nothing
		s.another = true
		s.log.Warn("another program saves its match in this folder; this match is only added to the history when it is over",
			"folder", s.dir)
		return nil
	}
	s.lock = f
	return nil
}

// yield releases the folder if it holds a match that [Open] could not read, for example because the
// disk with the folder was plugged in later. Without yield, the first save would overwrite that
// match.
func (s *Store) yield() error {
	if s.looked || s.another {
		return nil
	}
	f, err := s.disk.open(s.path(matchName), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		s.looked = true
		return nil
	}
	s.release()
	if err != nil {
		return err
	}
	f.Close()
	s.another = true
	s.log.Warn("this folder has a match to resume at the next start; until then no match is saved",
		"folder", s.dir)
	return nil
}

// Elsewhere reports whether another program is saving its match in the folder, or has left one
// there to resume. If so, this program's match is not saved.
func (s *Store) Elsewhere() bool { return s.another }

func (s *Store) release() {
	if s.lock != nil {
		s.lock.Close() // an error loses nothing
		s.lock = nil
	}
}

// forget returns err. If err means that the folder was removed, forget also drops the store's
// state, so that the next save creates and claims the folder again.
func (s *Store) forget(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		s.release()
		s.another, s.looked = false, false
		s.rooted.Store(false)
		s.saved, s.stale = game.Record{}, false
	}
	return err
}

// root makes the folder itself survive a power cut. Even an existing folder may not survive one,
// because the program that created it may have been killed before it synced the parent. A parent
// that this user cannot open needs no sync: another user created it. After any other error, root
// returns false and is called again later; the match is saved all the same.
func (s *Store) root() (done bool) {
	done = true
	for dir := s.dir; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		err := s.disk.syncDir(filepath.Dir(dir))
		done = done && (err == nil || errors.Is(err, fs.ErrPermission))
	}
	return done
}

// Writable returns an error, with a message for the user, if matches cannot be saved in a folder.
// It returns nil if they can be, or if the context ends before the disk answers.
func Writable(ctx context.Context, dir string) error {
	if dir == "" {
		return errors.New("this match will not be kept: there is no home folder; --state names another")
	}
	err := within(ctx, func() error {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		f, err := os.CreateTemp(dir, "try-*")
		if err != nil {
			return err
		}
		return errors.Join(f.Close(), os.Remove(f.Name()))
	})
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("this match will not be kept: nothing can be written to %s (%w); --state names another folder", dir, path.Err)
	}
	return nil
}
