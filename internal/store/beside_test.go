package store

import (
	"log/slog"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// stuckHistory is a disk on which an fsync of the history does not return until the disk is freed.
type stuckHistory struct {
	osDisk
	stuck, freed chan struct{}
}

type stuckFile struct {
	file
	stuck, freed chan struct{}
}

func (d stuckHistory) open(name string, flag int) (file, error) {
	f, err := d.osDisk.open(name, flag)
	if err == nil && filepath.Base(name) == historyName {
		return stuckFile{f, d.stuck, d.freed}, nil
	}
	return f, err
}

func (f stuckFile) Sync() error {
	f.stuck <- struct{}{}
	<-f.freed
	return f.file.Sync()
}

// The first disc of a new match is written while the old match is still being entered into the
// history. The new match replaces the old one in match.json only after that.
func TestSaveBesideFinish(t *testing.T) {
	dir := t.TempDir()
	d := stuckHistory{stuck: make(chan struct{}), freed: make(chan struct{})}
	s, err := open(dir, slog.New(slog.DiscardHandler), d, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Save(record(t, "a", "1")); err != nil {
		t.Fatal(err)
	}
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		if err := s.Finish(record(t, "a", "1"), true); err != nil {
			t.Error(err)
		}
	}()
	<-d.stuck
	ended := make(chan error, 1)
	began := make(chan struct{})
	go func() {
		end := s.Begin(record(t, "b", "4"), finished)
		close(began)
		ended <- end()
	}()
	select {
	case <-began:
	case <-time.After(time.Minute):
		t.Error("a save waits for the history before it begins")
	}
	if r, err := s.read(matchName); err != nil || r.ID != "a" {
		t.Errorf("%q is saved before the history has a: %v", r.ID, err)
	}
	close(d.freed)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if r, ok := Left(dir); !ok || r.ID != "b" || r.Game.String() != "4" {
		t.Errorf("%s %v is saved, want b with its disc", r.ID, r.Game)
	}
	if e, err := s.recorded("a"); e.ID != "a" || !e.Abandoned || err != nil {
		t.Errorf("the history has %q, want a: %v", e.ID, err)
	}
}

// A save that begins while matches are being finished is written without waiting for them.
func TestSaverBesideFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &slowDisk{slow: time.Second}
		s := newSaver(d, slog.New(slog.DiscardHandler))
		s.Finish(record(t, "a", "1"), true)
		time.Sleep(d.slow / 2)
		s.Save(save(t, "b", "4"))
		time.Sleep(d.slow + time.Millisecond)
		if last := d.last(); last != "save b  4" {
			t.Errorf("saved last: %q", last)
		}
		s.wait(time.Minute)
	})
}
