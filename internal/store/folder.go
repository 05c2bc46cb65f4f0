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

// prepare sees to it that there is a folder, and that it is ours or another's.
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

// cannotWrite says whether an error only says that nothing more can be written.
func cannotWrite(err error) bool {
	return errors.Is(err, syscall.EROFS) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// syncFolder makes what has happened in the folder outlast a power cut, and the folder.
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

// claim takes the folder, if no other program has it.
func (s *Store) claim() error {
	f, err := s.disk.open(s.path(lockName), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	if err := f.lock(false); err != nil {
		f.Close() // nothing was written
		s.another = true
		s.log.Warn("another program keeps its match in this folder; ours goes into the history when it is over",
			"folder", s.dir)
		return nil
	}
	s.lock = f
	s.renamed.Store(true) // perhaps, by a program that was killed before its Sync
	return nil
}

// yield gives the folder up again if there is a match in it that the program had no
// chance to go on with, since the folder came later than the program: a disk that
// was plugged in, or another program that has come and gone. It would be lost with
// the first Save.
func (s *Store) yield() error {
	if s.looked || s.another {
		return nil
	}
	f, err := s.disk.open(s.path(matchName), os.O_RDONLY)
	switch {
	case err == nil:
		f.Close()
		s.another = true
		s.log.Warn("there is a match in this folder to go on with at the next start; until then none is kept",
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

// forget begins anew, with the next call, where somebody has removed the folder.
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

// root makes the folder itself outlast a power cut. That it was there already does
// not mean it would: a program that made it may have been killed right after. The
// folders above may not be ours to open, then we have not made them either; and
// whatever else is wrong with them is no reason to keep nothing.
func (s *Store) root() (done bool) {
	done = true
	for dir, above := s.dir, filepath.Dir(s.dir); above != dir; dir, above = above, filepath.Dir(above) {
		if err := s.disk.syncDir(above); err != nil && !errors.Is(err, fs.ErrPermission) {
			done = false
		}
	}
	return done
}

// makeDir makes a folder, and those above it.
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
