package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/c4hat/c4hat/internal/game"
)

const lockName = "match.lock"

// prepare creates the folder if necessary, and claims it.
func (s *Store) prepare() error {
	if s.another {
		return nil
	}
	if s.lock == nil {
		err := s.claim()
		if errors.Is(err, fs.ErrNotExist) {
			if err = makeDir(s.disk, s.dir); err == nil {
				err = s.claim()
			}
		}
		if err != nil {
			return err
		}
		if err := s.yield(); err != nil {
			return err
		}
	}
	return nil
}

// cannotWrite reports whether an error says only that nothing can be written.
func cannotWrite(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// syncFolder makes what has happened in the folder, and the folder, survive a power cut.
func (s *Store) syncFolder() error {
	if err := s.disk.syncDir(s.dir); err != nil {
		return err
	}
	s.entered.Store(true)
	if !s.rooted.Load() {
		s.rooted.Store(s.root())
	}
	return nil
}

// claim locks the folder, unless another program has.
func (s *Store) claim() error {
	f, err := s.disk.open(s.path(lockName), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	if err := f.lock(false); err != nil {
		f.Close() // nothing was written
		s.another = true
		s.log.Warn("another program keeps its match in this folder; this one enters the history when it is over",
			"folder", s.dir)
		return nil
	}
	s.lock = f
	s.renamed.Store(true) // perhaps: a program may have been killed before its Sync
	return nil
}

// yield releases the folder again if it holds a match that this program had no chance to
// resume, because the folder appeared later: on a disk that was plugged in, or from another
// program that has come and gone. The first Save would lose that match.
func (s *Store) yield() error {
	if s.looked || s.another {
		return nil
	}
	f, err := s.disk.open(s.path(matchName), os.O_RDONLY)
	switch {
	case err == nil:
		f.Close()
		s.another = true
		s.log.Warn("this folder has a match to resume at the next start; until then none is kept",
			"folder", s.dir)
	case errors.Is(err, fs.ErrNotExist):
		s.looked = true
		return nil
	}
	s.release()
	if s.another {
		return nil
	}
	return err
}

func (s *Store) release() {
	if s.lock != nil {
		s.lock.Close() // nothing was written
		s.lock = nil
	}
}

// forget starts afresh, with the next call, if somebody has removed the folder.
func (s *Store) forget(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		s.release()
		s.another, s.looked = false, false
		s.entered.Store(false)
		s.rooted.Store(false)
		s.kept, s.saved, s.stale = "", game.Record{}, false
	}
	return err
}

// root makes the folder itself survive a power cut. Even a folder that was there already may
// not: the program that made it may have been killed right after. Folders above that this
// user cannot open were made by somebody else; other errors there are no reason to keep
// nothing.
func (s *Store) root() (done bool) {
	done = true
	for dir, above := s.dir, filepath.Dir(s.dir); above != dir; dir, above = above, filepath.Dir(above) {
		if err := s.disk.syncDir(above); err != nil && !errors.Is(err, fs.ErrPermission) {
			done = false
		}
	}
	return done
}

// makeDir creates a folder, and those above it.
func makeDir(d disk, dir string) error {
	err := d.mkdir(dir)
	if above := filepath.Dir(dir); errors.Is(err, fs.ErrNotExist) && above != dir {
		if err := makeDir(d, above); err != nil {
			return err
		}
		err = d.mkdir(dir)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}
