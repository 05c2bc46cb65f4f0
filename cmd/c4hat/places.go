package main

import (
	"errors"
	"io/fs"
	"iter"

	"github.com/c4hat/c4hat/internal/control"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// usualSocket is where the daemon is asked.
const usualSocket = "/run/c4hat/c4hat.sock"

// places are where a daemon is found, and where matches are kept.
type places struct {
	socket string
	state  string // empty: the usual folder
	config string
}

// add adds their flags.
func (p *places) add(flags *pflag.FlagSet) {
	flags.StringVar(&p.state, "state", p.state, "`FOLDER` where matches are kept, rather than the usual one")
	p.addSocket(flags)
}

// addSocket adds those of a command that wants the daemon and nothing else.
func (p *places) addSocket(flags *pflag.FlagSet) {
	flags.StringVar(&p.socket, "socket", usualSocket, "the daemon's socket `PATH`")
	flags.StringVar(&p.config, "config", "", "configuration `FILE` (default "+usualConfig+")")
}

// read completes them from the configuration file.
func (p *places) read(flags *pflag.FlagSet) error { return readConfig(p.config, flags) }

// own is the folder of matches that are played without a daemon.
func (p *places) own() string {
	if p.state != "" {
		return p.state
	}
	return ownState()
}

// history is the matches that are over, and whose they are.
type history struct {
	entries iter.Seq2[store.Entry, error]
	of      string
}

// history asks the daemon for its matches, unless there is none or a folder was
// named.
func (p *places) history(cmd *cobra.Command) (history, error) {
	if p.state == "" {
		client := control.Dial(p.socket)
		_, err := client.Status(cmd.Context())
		if err == nil {
			return history{client.Matches(cmd.Context(), 0), "of the daemon"}, nil
		}
		if !errors.Is(err, control.ErrNoDaemon) {
			return history{}, err
		}
	}
	dir := p.own()
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
