package main

import (
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/loop"
	"github.com/c4hat/c4hat/internal/store"
)

// systemState is where the daemon keeps its matches.
const systemState = "/var/lib/c4hat"

// ownState is the folder in which a user's own matches are kept, by the XDG Base
// Directory Specification; empty where there is none.
func ownState() string {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "c4hat")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, ".local", "state", "c4hat")
}

// newRun is a name that no other run of the program has.
func newRun() string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // does not fail
	return hex.EncodeToString(b[:])
}

// keeper has the game's matches kept in a folder.
type keeper struct{ *store.Store }

func (k keeper) Save(r game.Record) error { return k.Store.Save(store.Match(r)) }

func (k keeper) Finish(r game.Record, abandoned bool) error {
	return k.Store.Finish(store.Match(r), abandoned)
}

// keeping is a game's matches on their way to the disk.
type keeping struct {
	store *store.Store
	saver *loop.Saver
}

// keepIn begins to keep matches in a folder, and gives the one to go on with, if
// one was left there.
func keepIn(dir string, log *slog.Logger) (k *keeping, left game.Record, ok bool) {
	s := store.Open(dir, log)
	m, ok := s.Running()
	return &keeping{s, loop.NewSaver(keeper{s}, log)}, game.Record(m), ok
}

// saving is how long the end of the program waits for a disk. Whoever stops a
// service that takes longer kills it.
const saving = 4 * time.Second

// Close waits until everything is kept. One that gives up on a disk that hangs
// leaves it alone: it may still come back.
func (k *keeping) Close() {
	if k.saver.Close(saving) {
		k.store.Close() // nothing is left to write
	}
}
