package loop

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// disk is a keeper that takes a while.
type disk struct {
	slow time.Duration

	mu   sync.Mutex
	kept []string
	err  error
}

func (d *disk) keep(what string, r game.Record) error {
	time.Sleep(d.slow)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.err == nil {
		d.kept = append(d.kept, fmt.Sprintf("%s %s %s %s", what, r.ID, strings.Join(r.Match.Games(), ","), r.Game.String()))
	}
	return d.err
}

func (d *disk) Save(r game.Record) error { return d.keep("save", r) }

func (d *disk) Finish(r game.Record, abandoned bool) error {
	if abandoned {
		return d.keep("abandoned", r)
	}
	return d.keep("over", r)
}

func (d *disk) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.err = err
}

func record(t *testing.T, id, moves string) game.Record {
	t.Helper()
	m, g, err := board.ParseMatch(board.Standard, 2, board.FirstRed, 0, []string{moves})
	if err != nil {
		t.Fatal(err)
	}
	return game.Record{ID: id, Match: m, Game: g}
}

// Of the running match the latest is kept, of those that are over every one, in
// their order; nobody waits, and Close forgets nothing.
func TestSaver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{slow: time.Second}
		s := NewSaver(d, slog.New(slog.DiscardHandler))
		began := time.Now()
		s.Save(record(t, "a", "1"))
		synctest.Wait()
		s.Save(record(t, "a", "12"))
		s.Save(record(t, "a", "121"))
		s.Finish(record(t, "a", "1212121"), false)
		s.Save(record(t, "b", "4"))
		s.Finish(record(t, "b", "44"), true)
		s.Save(record(t, "c", "5"))
		s.Save(record(t, "c", "56"))
		if time.Since(began) != 0 {
			t.Errorf("it took %v", time.Since(began))
		}
		if s.Close(3 * time.Second) {
			t.Error("closed with something not kept")
		}
		if !s.Close(time.Hour) {
			t.Error("not closed")
		}
		want := []string{"save a  1", "over a  1212121", "abandoned b  44", "save c  56"}
		if !slices.Equal(d.kept, want) {
			t.Errorf("kept %q, want %q", d.kept, want)
		}
	})
}

func TestSaverComplainsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		d := new(disk)
		s := NewSaver(d, slog.New(slog.NewTextHandler(&log, nil)))
		for _, err := range []error{errors.New("full"), errors.New("full"), nil, nil, errors.New("gone"), nil} {
			d.fail(err)
			s.Save(record(t, "a", ""))
			synctest.Wait()
		}
		s.Close(time.Second)
		if got := strings.Count(log.String(), "WARN"); got != 2 {
			t.Errorf("%d warnings:\n%s", got, log.String())
		}
		if got := strings.Count(log.String(), "INFO"); got != 2 {
			t.Errorf("kept again %d times:\n%s", got, log.String())
		}
	})
}

// A whole match as a keeper sees it, the last key included.
func TestRunKeeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		config := game.Config{Setup: game.Setup{Rules: board.Standard, Points: 1}, Run: "x"}
		state, err := game.New(config, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		d := new(disk)
		saver := NewSaver(d, slog.New(slog.DiscardHandler))
		f := newFake()
		done := make(chan error)
		go func() {
			_, err := Run(t.Context(), state, Options{Panels: []Panel{f}, Save: saver.Save, Finish: saver.Finish})
			done <- err
		}()
		synctest.Wait()
		for _, col := range []int{0, 1, 0, 1, 0, 1, 0} {
			f.press(game.Column{Col: col})
			sleep(time.Second)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		saver.Close(time.Second)
		want := []string{"save x-1  ", "save x-1  1", "save x-1  12", "save x-1  121", "save x-1  1212",
			"save x-1  12121", "save x-1  121212", "save x-1  1212121", "over x-1  1212121"}
		if !slices.Equal(d.kept, want) {
			t.Errorf("kept %q, want %q", d.kept, want)
		}
	})
}

func TestRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		state, err := game.New(match, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		requests := make(Requests)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() {
			_, err := Run(ctx, state, Options{Requests: requests})
			done <- err
		}()
		v, err := requests.Do(ctx, game.Column{Col: 3}, game.Remote)
		if err != nil || v.Game.String() != "4" {
			t.Errorf("%v after %q", err, v.Game.String())
		}
		if _, err := requests.Do(ctx, game.Start{Setup: match.Setup}, game.Remote); err != game.ErrUnderWay {
			t.Errorf("a second match: %v", err)
		}
		if v, err := requests.Do(ctx, game.Start{Setup: match.Setup, Force: true}, game.Remote); err != nil || v.Game.String() != "" {
			t.Errorf("forced: %v, after %q", err, v.Game.String())
		}
		if v, err := requests.Do(ctx, game.End{}, game.Remote); err != nil || v.Phase != game.Over {
			t.Errorf("the end: %v, %v", err, v.Phase)
		}
		<-done
		late, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if _, err := requests.Do(late, game.Tick{}, game.Remote); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("nobody there: %v", err)
		}
		cancel()
	})
}
