package main

import (
	"context"
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

func (k keeper) Begin(r game.Record, after <-chan struct{}) func() error {
	return k.Store.Begin(r, after)
}

func (k keeper) Finish(r game.Record, abandoned bool) error {
	return k.Store.Finish(r, abandoned)
}

// kept is a game whose matches are kept.
type kept struct {
	config game.Config
	store  *store.Store // nil where there is no folder
	left   game.Record  // to go on with, if its ID is not empty
	save   func(game.Save)
	finish func(r game.Record, abandoned bool)
	saved  <-chan int
	room   func(context.Context) error // for another match that is over
	close  func() bool                 // when everything is kept, or in time; false: it is not
}

// openStore is a variable, so that a test can have it hang.
var openStore = store.Open

// keepIn has the matches of a game kept in a folder, where there is one. A disk that
// hangs is waited for only until the context is done.
func keepIn(ctx context.Context, dir string, c game.Config, log *slog.Logger) (*kept, error) {
	c.Run = newRun()
	if dir == "" {
		return &kept{config: c, close: func() bool { return false }}, nil
	}
	var s *store.Store
	opened := make(chan error, 1)
	go func() {
		opened <- loop.Guard(func() (err error) {
			s, err = openStore(dir, log)
			return err
		})
	}()
	select {
	case err := <-opened:
		if err != nil {
			return nil, fmt.Errorf("%w; --state names another folder", err)
		}
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	c.Keeps = true
	saver := loop.NewSaver(keeper{s}, log)
	k := &kept{config: c, store: s, save: saver.Save, finish: saver.Finish, saved: saver.Saved(), room: saver.Room}
	k.close = sync.OnceValue(func() bool {
		// A disk that hangs is left alone: what waits for it may still be written.
		if !saver.Close(saving) {
			log.Error("the last moves are not kept: the disk does not answer", "folder", dir)
			return false
		}
		return s.Close() == nil
	})
	if m, ok := s.Running(); ok {
		k.left = m
	}
	return k, nil
}

// do hands an event to the game, as [loop.Requests.Do]. A program can end matches
// quicker than a disk takes them.
func (k *kept) do(requests loop.Requests) func(context.Context, game.Event, game.Source) (game.View, error) {
	return func(ctx context.Context, ev game.Event, from game.Source) (game.View, error) {
		switch ev.(type) {
		case game.Start, game.End:
			if k.room != nil {
				if err := k.room(ctx); err != nil {
					return game.View{}, err
				}
			}
		}
		return requests.Do(ctx, ev, from)
	}
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
	k, err := keepIn(cmd.Context(), p.settings.Own(), c, slog.New(complaint))
	if err != nil {
		return err
	}
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
	k.save = func(s game.Save) {
		if !begun(s.Record) {
			return // and nobody waits for it: no disc is in the air
		}
		if left.ID != "" {
			finish(left, true)
			left.ID = ""
		}
		save(s)
	}
}

// begun says whether a disc of a match has been dropped.
func begun(r game.Record) bool { return r.Begun() }
