package main

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/loop"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/spf13/cobra"
)

// newRun is a name that no other run of the program has. It is not asked of
// getrandom(2), which early after boot waits for entropy, for seconds; what the
// kernel gives every process at its start is poorer then, so the clock helps out.
func newRun() string {
	return strconv.FormatUint(rand.Uint64()^uint64(time.Now().UnixNano()), 36)
}

// keeper has the game's matches kept in a folder.
type keeper struct{ *store.Store }

func (k keeper) Save(r game.Record) error { return k.Store.Save(store.Match(r)) }

func (k keeper) Finish(r game.Record, abandoned bool) error {
	return k.Store.Finish(store.Match(r), abandoned)
}

// kept is a game whose matches are kept.
type kept struct {
	config game.Config
	store  *store.Store // nil where there is no folder
	left   game.Record  // to go on with, if its ID is not empty
	save   func(game.Record)
	finish func(r game.Record, abandoned bool)
	close  func() bool // when everything is kept, or in time; false: it is not
}

// keepIn has the matches of a game kept in a folder, where there is one.
func keepIn(dir string, c game.Config, log *slog.Logger) *kept {
	c.Run = newRun()
	if dir == "" {
		return &kept{config: c, close: func() bool { return false }}
	}
	s := store.Open(dir, log)
	saver := loop.NewSaver(keeper{s}, log)
	k := &kept{config: c, store: s, save: saver.Save, finish: saver.Finish}
	k.close = sync.OnceValue(func() bool {
		// A disk that hangs is left alone: what waits for it may still be written.
		if !saver.Close(saving) {
			log.Error("the last moves are not kept: the disk does not answer", "folder", dir)
			return false
		}
		return s.Close() == nil
	})
	if m, ok := s.Running(); ok {
		k.left = game.Record(m)
	}
	return k
}

// saving is how long the end of the program waits for a disk. Whoever stops a
// service that takes longer kills it.
const saving = 4 * time.Second

// state is the game as it begins, or goes on.
func (k *kept) state() (game.State, error) {
	if k.left.ID != "" {
		return game.Resume(k.config, k.left, time.Now())
	}
	return game.New(k.config, time.Now())
}

// here plays in this program, with the matches kept in the user's own folder.
func (p *playing) here(cmd *cobra.Command, c game.Config, play func(*kept) (left bool, err error)) error {
	complaint := new(cli.Complaint)
	k := keepIn(p.settings.Own(), c, slog.New(complaint))
	defer k.close()
	switch {
	case !p.continues:
		k.displace()
	case k.left.ID != "":
	case complaint.Text() != "":
		return errors.New(complaint.Text())
	case k.store != nil && k.store.Elsewhere():
		return errors.New("your match is being played in another terminal: leave it there first")
	default:
		return errors.New("no match was left to go on with: start one without --continue")
	}
	left, err := play(k)
	kept := k.close()
	if text := complaint.Text(); text != "" {
		fmt.Fprintln(cmd.ErrOrStderr(), "c4hat:", text)
	} else if left && kept {
		fmt.Fprintln(cmd.OutOrStdout(), "the match is kept: c4hat play --continue goes on with it")
	}
	return err
}

// displace keeps a new match from its first disc on. Only then does it take the
// place of one that was left, which is given up by that.
func (k *kept) displace() {
	left, save, finish := k.left, k.save, k.finish
	k.left = game.Record{}
	if save == nil {
		return
	}
	k.save = func(r game.Record) {
		if !begun(r) {
			return
		}
		if left.ID != "" {
			finish(left, true)
			left.ID = ""
		}
		save(r)
	}
	k.finish = func(r game.Record, abandoned bool) {
		if begun(r) {
			finish(r, abandoned)
		}
	}
}

// begun says whether a disc of a match has been dropped.
func begun(r game.Record) bool {
	position := r.Game.Position()
	return r.Match.Played() > 0 || position.Ply() > r.Opening
}
