package main

import (
	"context"
	"errors"
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
	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"
)

// runDaemon plays until a signal.
func runDaemon(cmd *cobra.Command, c game.Config, s *settings.Settings) error {
	signal.Ignore(syscall.SIGPIPE) // a closed log must not end the service
	log := cli.NewLog(cmd.ErrOrStderr())
	opts := s.HAT()
	panel := hatpanel.New(opts, nil, nil, log)
	defer panel.Close()
	r := reloader{settings: s, flags: cmd.Flags(), panel: panel, requests: make(loop.Requests), log: log}
	panel.SetLook(s.Look())
	panel.Follow(s.Upright())
	// First of all a picture: at boot the disk is slow. The game's own follows it, and its
	// error is the same.
	go func() {
		_ = loop.Guard(func() error { return panel.Show(game.View{Frame: game.Starting()}, false) })
	}()
	k, err := keepIn(cmd.Context(), s.State, c, log)
	if err != nil {
		return orderly(err, log)
	}
	defer k.Close()
	state, err := game.Resume(k.config, k.Left, time.Now())
	if err != nil {
		return err
	}
	log.Info("starting", "version", version(), "board", pi.Model())
	if k.Left.ID != "" {
		log.Info("resuming a match", "match", k.Left.ID, "stands", game.RecordText(k.Left))
	}
	server := control.New(control.Options{
		Do: k.do(r.requests), Matches: k.Matches, Dropped: k.Dropped, Setup: c.Setup, Log: log,
		Status: machine(panel, opts.I2C),
	})
	defer serve(cmd.Context(), server, s.Socket, log)()
	notify := notifier(log)
	watchdog, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		log.Warn("no watchdog", "reason", err)
	}
	cli.AtHangUp(cmd.Context(), func() { r.reload(cmd.Context()) })
	_, err = loop.Run(cmd.Context(), state, loop.Options{
		Panels: []loop.Panel{panel, server}, Computer: newComputer(), Keeper: k, Requests: r.requests,
		Failed: func(err error) { log.Error("the computer has no answer", "reason", err) },
		Ready:  func() { notify(daemon.SdNotifyReady) },
		Alive:  func() { notify(daemon.SdNotifyWatchdog) },
		Every:  watchdog / 2, // as sd_watchdog_enabled(3) advises
	})
	notify(daemon.SdNotifyStopping)
	panel.Close() // first: the disk and the clients may take their time
	k.Close()
	return orderly(err, log)
}

// orderly logs the end of the service. SIGTERM is an orderly end, not an error.
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

// serve opens the socket, and returns the function that closes it. Without a socket the
// joystick still plays.
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

// machine returns the status of the program and of its HAT, if it has one.
func machine(panel *hatpanel.Panel, direct *hat.I2C) func() control.Machine {
	began := time.Now()
	return func() control.Machine {
		m := control.Machine{Version: version(), PID: os.Getpid(), Uptime: int64(time.Since(began) / time.Second)}
		if panel != nil {
			m.Matrix, m.Joystick = panel.Present()
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
