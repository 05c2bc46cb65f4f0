package main

import (
	"errors"
	"log/slog"
	"os/signal"
	"syscall"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/loop"
	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"
)

func newDaemon() *cobra.Command {
	s := newSettings()
	cmd := &cobra.Command{
		Use:   "daemon",
		Short: "Run the HAT as a game machine, for ever",
		Long: `Run the Sense HAT as a game machine, for ever: a demo while nobody is there, a
menu at the first key, then matches. This is what systemd starts.

A matrix or joystick that is missing, or in use by another program, is waited
for; the game goes on when it is back. The LEDs go dark at the end. Under
systemd it says when it is ready, and the game loop itself answers the watchdog.

Settings may also stand in ` + usualConfig + `, or the file given with
--config; a flag wins over the file.`,
		Example: `  c4hat daemon
  c4hat daemon --rotate 180 --idle 5m`,
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.read(cmd.Flags())
			if err != nil {
				return err
			}
			c.Attract, c.Forever = true, true
			return runDaemon(cmd, c, s)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	s.addMatch(flags)
	s.addHAT(flags)
	s.complete(cmd)
	return cmd
}

// runDaemon plays until a signal ends it, which is its orderly end.
func runDaemon(cmd *cobra.Command, c game.Config, s *settings) error {
	signal.Ignore(syscall.SIGPIPE) // a log that nobody reads is no reason to end
	log := newLog(cmd.ErrOrStderr())
	state, err := game.New(c, time.Now())
	if err != nil {
		return err
	}
	panel := loop.NewHAT(s.hat(), nil, nil, log)
	defer panel.Close()
	log.Info("c4hat starts", "version", version(), "board", boardModel())
	notify := notifier(log)
	watchdog, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("no watchdog", "reason", err)
	}
	o := new(computer).options(log)
	o.Panels = []loop.Panel{panel}
	o.Ready = func() { notify(daemon.SdNotifyReady) }
	o.Alive = func() { notify(daemon.SdNotifyWatchdog) }
	o.Every = watchdog / 2 // as sd_watchdog_enabled(3) advises
	_, err = loop.Run(cmd.Context(), state, o)
	notify(daemon.SdNotifyStopping)
	panel.Close()
	var ended signalled
	var fault *loop.Fault
	switch {
	case errors.As(err, &ended) && ended.Signal == syscall.SIGTERM:
		log.Info("c4hat ends", "reason", ended)
		return nil
	case errors.As(err, &fault):
		log.Error("internal fault", "reason", fault.Value, "stack", string(fault.Stack))
	}
	return err
}

// notifier tells systemd, if that has started the program, and complains once if
// it does not hear.
func notifier(log *slog.Logger) func(state string) {
	complained := false
	return func(state string) {
		if _, err := daemon.SdNotify(false, state); err != nil && !complained {
			complained = true
			log.Warn("systemd does not hear", "state", state, "reason", err)
		}
	}
}
