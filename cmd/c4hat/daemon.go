package main

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/control"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/loop"
	hatpanel "github.com/c4hat/c4hat/internal/panel/hat"
	"github.com/c4hat/c4hat/internal/pi"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"
)

func newDaemon() *cobra.Command {
	s := settings.New()
	check := false
	cmd := &cobra.Command{
		Use:   "daemon",
		Short: "Run the game service",
		Long: `Run the game service on the Sense HAT: a demo while nobody plays, a menu at the first
key, then matches. This is what systemd starts.

A match resumes after a crash or a power cut, and every finished match is kept:
--state is the folder. Other programs reach the game through the socket, as c4hat
play, watch, status and stats do.

The service waits for a matrix or joystick that is missing or in use by another
program. A HAT without kernel drivers is driven over I2C. The LEDs go dark when the
service ends. Under systemd it reports when it is ready, and the game loop itself
answers the watchdog.

The configuration file ` + settings.DefaultConfig + `, or the one given with --config, sets
defaults; flags override them. systemctl reload, or SIGHUP, reloads it: the screen
changes at once, the rest with the next match. See c4hat help config.`,
		Example: `  sudo systemctl restart c4hat          the service
  c4hat daemon --rotate 180 --idle 5m   on a HAT that hangs upside down
  c4hat daemon --check --config mine    check a configuration
  c4hat daemon --state /tmp/c4hat --socket /tmp/c4hat.sock`,
		Args:              noArguments,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.Read(cmd.Flags())
			if err != nil {
				return err
			}
			if check {
				return nil
			}
			c.Attract, c.Forever = true, true
			return runDaemon(cmd, c, s)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	s.AddDaemon(flags)
	flags.BoolVar(&check, "check", false, "check the settings and exit")
	return cmd
}

// runDaemon plays until a signal ends it, which is its orderly end.
func runDaemon(cmd *cobra.Command, c game.Config, s *settings.Settings) error {
	signal.Ignore(syscall.SIGPIPE) // a log that nobody reads is no reason to end
	log := cli.NewLog(cmd.ErrOrStderr())
	k, err := keepIn(cmd.Context(), s.State, c, log)
	if err != nil {
		return orderly(err, log)
	}
	defer k.close()
	state, err := k.state()
	if err != nil {
		return err
	}
	opts := s.HAT()
	panel := hatpanel.New(opts, nil, nil, log)
	defer panel.Close()
	panel.Follow(s.Upright())
	log.Info("starting", "version", version(), "board", pi.Model())
	if k.left.ID != "" {
		log.Info("resuming a match", "match", k.left.ID, "stands", game.RecordText(k.left))
	}
	requests := make(loop.Requests)
	r := reloader{settings: s, flags: cmd.Flags(), panel: panel, requests: requests, log: log}
	r.look.Store(s.Look())
	panel.Paint = r.paint
	server := control.New(control.Options{
		Do: k.do(requests), Matches: recent(k.store), Setup: c.Setup, Log: log,
		Status: machine(panel, opts.I2C),
	})
	defer serve(cmd.Context(), server, s.Socket, log)()
	notify := notifier(log)
	watchdog, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("no watchdog", "reason", err)
	}
	cli.AtHangUp(cmd.Context(), func() { r.reload(cmd.Context()) })
	o := new(computer).options(log)
	o.Panels = []loop.Panel{panel, server}
	o.Requests = requests
	o.Save, o.Finish, o.Saved = k.save, k.finish, k.saved
	o.Ready = func() { notify(daemon.SdNotifyReady) }
	o.Alive = func() { notify(daemon.SdNotifyWatchdog) }
	o.Every = watchdog / 2 // as sd_watchdog_enabled(3) advises
	_, err = loop.Run(cmd.Context(), state, o)
	notify(daemon.SdNotifyStopping)
	panel.Close() // first: a disk may take its time, and then whoever is connected
	k.close()
	return orderly(err, log)
}

// orderly logs the daemon's end, which is none to complain of where SIGTERM asked for it.
func orderly(err error, log *slog.Logger) error {
	var ended cli.Signalled
	var fault *loop.Fault
	switch {
	case errors.As(err, &ended) && ended.Signal == syscall.SIGTERM:
		log.Info("stopping", "reason", ended)
		return nil
	case errors.As(err, &fault):
		log.Error("internal fault", "reason", fault.Value, "stack", string(fault.Stack))
	}
	return err
}

// serve opens the socket, and gives what closes it. Without a socket the joystick
// still plays.
func serve(ctx context.Context, server *control.Server, path string, log *slog.Logger) (stop func()) {
	socket, err := control.Listen(path, log)
	if err != nil {
		log.Error("no socket: only the joystick plays", "reason", err)
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := server.Serve(ctx, socket); err != nil {
			log.Error("the socket is closed: only the joystick plays", "reason", err)
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// recent yields the last matches of a history, all of them with 0.
func recent(s *store.Store) func(last int) iter.Seq[store.Entry] {
	return func(last int) iter.Seq[store.Entry] {
		if last == 0 {
			return s.History()
		}
		return s.Last(last)
	}
}

// machine tells what the game does not know of the program and its HAT.
func machine(panel *hatpanel.Panel, direct *hat.I2C) func() control.Machine {
	began := time.Now()
	return func() control.Machine {
		matrix, stick := panel.Present()
		m := control.Machine{
			Version: version(), PID: os.Getpid(), Uptime: int64(time.Since(began) / time.Second),
			Matrix: matrix, Joystick: stick,
		}
		if direct != nil {
			m.BusErrors = direct.Errors()
			if direct.Driving() {
				m.I2C = direct.Device
			}
		}
		return m
	}
}

// notifier notifies systemd, if systemd started the program. A failure is logged once.
func notifier(log *slog.Logger) func(state string) {
	complained := false
	return func(state string) {
		if _, err := daemon.SdNotify(false, state); err != nil && !complained {
			complained = true
			log.Warn("sd_notify failed", "state", state, "reason", err)
		}
	}
}
