// Package daemon runs the game for clients: on the HAT, as the service that systemd starts, or
// without the HAT, for a page in a browser. It puts together the loop, its panels, the store and
// the socket.
package daemon

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/emulator"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/front/hatpanel"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/pflag"
)

// Options describe a game.
type Options struct {
	Config   game.Config
	Folder   string // for the matches
	Computer session.Computer
	Version  string // of c4hat
	Log      *slog.Logger
	Emulator bool // the desktop's emulator replaces the HAT
}

// openSaver is a variable so that a test can make it hang.
var openSaver = store.OpenSaver

// open opens the folder of the matches, and returns the game's state at the start.
func (o *Options) open(ctx context.Context) (*store.Saver, *game.Game, error) {
	k, err := openSaver(ctx, o.Folder, o.Log)
	if err != nil {
		return nil, nil, err
	}
	state, err := game.Resume(k.Config(o.Config), k.Left, time.Now())
	if err != nil {
		k.Close()
	}
	return k, state, err
}

// server returns the server of the socket. panel is nil if the game runs without the HAT, and
// direct is nil if no I²C bus may be used.
func (o *Options) server(k *store.Saver, l *session.Local, panel *hatpanel.Front, direct *hat.I2C, log *slog.Logger) *socket.Server {
	began := time.Now()
	status := func() socket.Machine {
		m := socket.Machine{Version: o.Version, PID: os.Getpid(), Uptime: int64(time.Since(began) / time.Second)}
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
	so := socket.Options{As: l.As, Matches: k.Matches, Setup: o.Config.Setup, Status: status, Log: log}
	if panel != nil {
		so.Borrow = func(ctx context.Context) (socket.Loan, error) { return panel.Borrow(ctx) }
	}
	return socket.New(so)
}

// OnHAT runs the game on the HAT until the context ends; the error is then the context's cause.
// flags are those of the command line. They still override the configuration after a reload.
func OnHAT(ctx context.Context, o Options, s *settings.Settings, flags *pflag.FlagSet) error {
	signal.Ignore(syscall.SIGPIPE) // a log that nobody reads must not end the service
	where, devices := s.HAT(), hatpanel.Devices{Matrix: hat.OpenMatrix, Joystick: hat.OpenJoystick}
	if o.Emulator {
		where.I2C, devices = nil, hatpanel.Devices{Matrix: emulator.OpenMatrix, Joystick: emulator.OpenJoystick}
	}
	panel := hatpanel.New(devices, where, o.look(s, o.Config.Idle), o.Log)
	defer panel.Close()
	k, state, err := o.open(ctx)
	if err != nil {
		return err
	}
	defer k.Close()
	o.Log.Info("starting", "version", o.Version, "board", settings.Model())
	switch {
	case k.Left.Left:
		o.Log.Info("a match waits in the menu", "match", k.Left.ID, "state", words.Record(k.Left))
	case k.Left.ID != "":
		o.Log.Info("resuming a match", "match", k.Left.ID, "state", words.Record(k.Left))
	}
	notify := func(state string) { _, _ = daemon.SdNotify(false, state) } // a failure is systemd's to notice
	watchdog, _ := daemon.SdWatchdogEnabled(false)
	ready := sync.OnceFunc(func() { notify(daemon.SdNotifyReady) })
	l := session.New(state, session.Options{
		Computer: o.Computer, Keeper: k,
		Failed: func(err error) { o.Log.Error("the computer cannot choose a column", "reason", err) },
		Alive:  func() { ready(); notify(daemon.SdNotifyWatchdog) },
		Every:  watchdog / 2, // as sd_watchdog_enabled(3) advises
	})
	server := o.server(k, l, panel, where.I2C, o.Log)
	hungUp := make(chan os.Signal, 1) // of its own: a reload holds up no other signal
	signal.Reset(syscall.SIGHUP)      // which would end ctx
	signal.Notify(hungUp, syscall.SIGHUP)
	go func() {
		for range hungUp {
			o.reload(ctx, s, flags, panel, server, l.As(game.Source{}))
		}
	}()
	serving, stop := context.WithCancel(ctx)
	var sockets sync.WaitGroup
	sockets.Go(func() { o.serve(serving, server, s.Socket) })
	_, err = l.Run(ctx, panel)
	notify(daemon.SdNotifyStopping)
	panel.Close() // first: the disk and the clients may take long
	k.Close()
	stop()
	sockets.Wait()
	return err
}

// look returns how the settings want the picture to be shown.
func (o *Options) look(s *settings.Settings, idle time.Duration) hatpanel.Look {
	l := hatpanel.Look{Colours: s.Colours(), Degrees: s.Degrees(), Idle: idle}
	if !o.Emulator && s.Automatic() { // the emulator has no sensors
		l.Sense = s.Sense
	}
	return l
}

// serve serves the socket until the context ends. If that fails, the joystick still works.
func (o *Options) serve(ctx context.Context, server *socket.Server, path string) {
	l, err := socket.Inherited()
	if l == nil && err == nil {
		l, err = socket.Listen(path, o.Log)
	}
	if err == nil {
		err = server.Serve(ctx, l)
	}
	if err != nil {
		o.Log.Error("no socket: only the joystick can play", "reason", err)
	}
}

// reload applies a changed configuration to the running service. The match under way continues;
// changed rules apply to the next match. If the configuration has a mistake, reload logs it and
// changes nothing. was has the settings at the start, and flags those of the command line.
func (o *Options) reload(
	ctx context.Context, was *settings.Settings, flags *pflag.FlagSet, panel *hatpanel.Front, server *socket.Server, g session.Session,
) {
	s, c, restart, err := was.Reread(flags)
	if err == nil {
		panel.Change(o.look(s, c.Idle))
		if _, err = g.Do(ctx, game.Configure{Setup: c.Setup, Idle: c.Idle, MenuLevel: c.MenuLevel}); err == nil {
			server.Default(c.Setup)
		}
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		o.Log.Error("cannot reload the configuration", "reason", err)
	default:
		o.Log.Info("configuration reloaded")
		if restart {
			o.Log.Warn("changes of devices and of the socket take effect after a restart")
		}
	}
}
