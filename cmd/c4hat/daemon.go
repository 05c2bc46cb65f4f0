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
		Short: "Run the HAT as a game machine, for ever",
		Long: `Run the Sense HAT as a game machine, for ever: a demo while nobody is there, a
menu at the first key, then matches. This is what systemd starts.

A match goes on where it was after a crash or a power cut, and every match is kept
when it is over: --state is the folder. Other programs reach the game through the
socket: c4hat play, watch, status and stats do.

A matrix or joystick that is missing, or in use by another program, is waited
for; the game goes on when it is back. A HAT that the kernel has no drivers for is
driven over I2C. The LEDs go dark at the end. Under
systemd it says when it is ready, and the game loop itself answers the watchdog.

Settings may also stand in ` + settings.DefaultConfig + `, or the file given with
--config; a flag wins over the file. systemctl reload, or SIGHUP, has it read again:
the light changes at once, the rest with the next match. c4hat help config tells of
it.`,
		Example: `  sudo systemctl restart c4hat          the service
  c4hat daemon --rotate 180 --idle 5m   on a HAT that hangs upside down
  c4hat daemon --check --config mine    are the settings right?
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
	flags.BoolVar(&check, "check", false, "read the settings, say what is wrong with them, and end")
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
	log.Info("c4hat starts", "version", version(), "board", pi.Model())
	if k.left.ID != "" {
		log.Info("a match goes on", "match", k.left.ID, "stands", matchText(k.left))
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
		log.Info("c4hat ends", "reason", ended)
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
			m.BusErrors = direct.ErrorCount()
			if direct.InUse() {
				m.I2C = direct.Device
			}
		}
		return m
	}
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
