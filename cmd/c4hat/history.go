package main

import (
	"errors"
	"io/fs"
	"iter"

	"github.com/c4hat/c4hat/internal/control"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/spf13/cobra"
)

// history is the matches that are over, and whose they are.
type history struct {
	entries iter.Seq2[store.Entry, error]
	of      string
}

// findHistory is the history of the service; without one, or if a folder was named, that
// of a folder.
func findHistory(cmd *cobra.Command, p *settings.Places) (history, error) {
	if p.State == "" {
		client := control.Dial(p.Socket)
		_, err := client.Status(cmd.Context())
		if err == nil {
			return history{client.Matches(cmd.Context(), 0), "of the daemon"}, nil
		}
		if !errors.Is(err, control.ErrNoDaemon) {
			return history{}, err
		}
	}
	dir := p.Own()
	if dir == "" {
		return history{func(func(store.Entry, error) bool) {}, "nowhere: HOME is not set"}, nil
	}
	return history{readable(store.History(dir)), "in " + dir}, nil
}

// readable leaves out the lines of a history that are damaged; the rest of it is
// worth showing.
func readable(entries iter.Seq2[store.Entry, error]) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for e, err := range entries {
			var disk *fs.PathError
			if err != nil && !errors.As(err, &disk) {
				continue
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}
