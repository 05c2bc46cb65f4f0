package daemon

import (
	"context"
	"log/slog"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/hatpanel"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/spf13/pflag"
)

// reloader applies a changed configuration to the running service. The match under way
// continues; changed rules apply to the next match.
type reloader struct {
	settings *settings.Settings // at the start
	flags    *pflag.FlagSet     // of the command line
	panel    *hatpanel.Panel
	game     session.Session
	log      *slog.Logger
}

// reload reads the configuration again. If the configuration has a mistake, reload logs it and
// changes nothing.
func (r *reloader) reload(ctx context.Context) {
	s, c, restart, err := r.settings.Reread(r.flags)
	if err != nil {
		r.log.Error("cannot reload the configuration", "reason", err)
		return
	}
	r.panel.SetColours(s.Colours())
	r.panel.Dim(s.Room())
	upright := s.Upright()
	r.panel.Follow(upright)
	if upright == nil {
		r.panel.Rotate(s.Degrees())
	}
	_, err = r.game.Do(ctx, game.Configure{Setup: c.Setup, Idle: c.Idle}) // shows the picture again
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		r.log.Error("cannot reload the configuration", "reason", err)
		return
	}
	r.log.Info("configuration reloaded")
	if restart {
		r.log.Warn("changes of devices and of the socket take effect after a restart")
	}
}
