package main

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"sync/atomic"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/light"
	"github.com/c4hat/c4hat/internal/loop"
	"github.com/spf13/pflag"
)

// reloader applies a changed configuration to the daemon that runs. The match goes on:
// what it is played by counts for the next one.
type reloader struct {
	settings *settings      // as they were at the start
	flags    *pflag.FlagSet // the same, as the command line set them
	look     atomic.Pointer[light.Look]
	panel    *loop.HAT
	requests loop.Requests
	log      *slog.Logger
}

// paint is a picture in the look of the moment.
func (r *reloader) paint(v *game.View) game.Frame { return r.look.Load().Frame(v) }

// reload reads the configuration. A wrong one changes nothing.
func (r *reloader) reload(ctx context.Context) {
	s, c, err := r.read()
	if err != nil {
		r.log.Error("the configuration is not changed", "reason", err)
		return
	}
	r.look.Store(s.look())
	if !s.follow(r.panel) {
		r.panel.Rotate(s.degrees())
	}
	_, err = r.requests.Do(ctx, game.Configure{Setup: c.Setup, Idle: c.Idle}, 0) // which shows the picture again
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		r.log.Error("the configuration is not changed", "reason", err)
		return
	}
	r.log.Info("the configuration is read again")
	if s.fb != r.settings.fb || s.stick != r.settings.stick || s.i2c != r.settings.i2c || s.socket != r.settings.socket {
		r.log.Warn("other devices and another socket need a restart")
	}
}

// read completes the flags of the command line from the file as it is now.
func (r *reloader) read() (*settings, game.Config, error) {
	s := newSettings()
	s.direct = r.settings.bus() // until a restart
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	s.addDaemon(flags)
	var errs []error
	r.flags.Visit(func(f *pflag.Flag) {
		if flags.Lookup(f.Name) != nil && f.Name != "seed" { // which is for the start
			errs = append(errs, flags.Set(f.Name, f.Value.String()))
		}
	})
	if err := errors.Join(errs...); err != nil {
		return nil, game.Config{}, err
	}
	c, err := s.read(flags)
	return s, c, err
}

// degrees is how far picture and joystick are turned, to begin with.
func (s *settings) degrees() int {
	degrees, _ := strconv.Atoi(s.rotate.word) // one of four numbers, or auto
	return degrees
}
