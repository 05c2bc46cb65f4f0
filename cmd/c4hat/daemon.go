package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/emulator"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/computer"
	"github.com/c4hat/c4hat/internal/front/hatpanel"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/doctor"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newDaemon() *cobra.Command {
	s := settings.New()
	check, emulated := false, false
	cmd := &cobra.Command{
		Use:   "daemon",
		Short: "Run the game service",
		Long: `Run the game service on the Sense HAT. systemd starts this command. The service shows a
demo until somebody presses a key, and saves matches in the folder that --state names, so
that a match resumes after a power cut. Other commands reach it through its socket.

If the matrix or the joystick is missing or in use, the service waits for it; without
kernel drivers it uses I2C. SIGHUP makes it read the configuration again (c4hat config).`,
		Example: `  sudo systemctl restart c4hat          restart the installed service
  c4hat daemon --rotate 180 --idle 5m   for a HAT mounted upside down
  c4hat daemon --check --config mine    check a configuration file
  c4hat daemon --state /tmp/c4hat --socket /tmp/c4hat.sock`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.Match(cmd.Flags())
			if err != nil {
				return err
			}
			if check {
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: all settings are valid\n", cmp.Or(s.Config, settings.DefaultConfig))
				return err
			}
			c.Attract, c.Forever = true, true
			log := cli.NewLog(cmd.ErrOrStderr())
			if emulated && !cmd.Flags().Changed("state") {
				s.State = settings.New().Own()
			}
			d := &service{config: c, folder: s.State, log: log, emulated: emulated}
			return cli.Orderly(d.onHAT(cmd.Context(), s, cmd.Flags()), log)
		},
	}
	flags := cmd.Flags()
	s.State = settings.SystemState
	s.Add(flags, settings.Daemon)
	flags.BoolVar(&emulated, "emulator", false, "use the desktop's Sense HAT emulator, and your own matches")
	flags.BoolVar(&check, "check", false, "check the settings and exit")
	return cmd
}

// newComputer and openSaver are variables so that a test can make the computer panic, and the disk hang.
var (
	newComputer = func() session.Computer { return new(computer.Computer) }
	openSaver   = store.OpenSaver
)

// service is a game that clients play through a socket, on the HAT or, for a page in a browser, without it.
type service struct {
	config   game.Config
	folder   string // of the matches
	log      *slog.Logger
	emulated bool // the desktop's emulator replaces the HAT

	saver  *store.Saver
	game   *session.Local
	panel  *hatpanel.Front // nil: there is no HAT
	direct *hat.I2C        // nil: no I²C bus may be used
	server *socket.Server
}

// open opens the folder of the matches, and makes the game and the socket's server.
func (d *service) open(ctx context.Context, o session.Options) error {
	k, err := openSaver(ctx, d.folder, d.log)
	if err != nil {
		return err
	}
	state, err := game.Resume(k.Config(d.config), k.Left, time.Now())
	if err != nil {
		k.Close()
		return err
	}
	o.Computer, o.Keeper = newComputer(), k
	d.saver, d.game = k, session.New(state, o)
	so := socket.Options{As: d.game.As, Matches: k.Matches, Setup: d.config.Setup, Status: d.status(time.Now()), Log: d.log}
	if d.panel != nil {
		so.Borrow = func(ctx context.Context) (socket.Loan, error) { return d.panel.Borrow(ctx) }
	}
	d.server = socket.New(so)
	return nil
}

func (d *service) status(began time.Time) func() socket.Machine {
	return func() socket.Machine {
		m := socket.Machine{Version: version(), PID: os.Getpid(), Uptime: int64(time.Since(began) / time.Second)}
		if d.panel != nil {
			m.Matrix, m.Joystick = d.panel.Present()
		}
		if d.direct != nil {
			m.BusErrors = d.direct.ErrorCount()
			if d.direct.InUse() {
				m.I2C = d.direct.Device
			}
		}
		return m
	}
}

// onHAT runs the game on the HAT until the context ends; the error is then the context's cause. flags are those
// of the command line. They still override the configuration after a reload.
func (d *service) onHAT(ctx context.Context, s *settings.Settings, flags *pflag.FlagSet) error {
	signal.Ignore(syscall.SIGPIPE) // a log that nobody reads must not end the service
	where, matrix, joystick := s.HAT(), hat.OpenMatrix, hat.OpenJoystick
	if d.emulated {
		where.I2C, matrix, joystick = nil, emulator.OpenMatrix, emulator.OpenJoystick
	}
	d.direct, d.panel = where.I2C, hatpanel.New(hatpanel.Devices{
		Matrix:   func() (*hat.Matrix, error) { return matrix(where) },
		Joystick: func() (*hat.Joystick, error) { return joystick(where) },
	}, d.look(s, d.config.Idle), d.log)
	defer d.panel.Close()
	notify := func(state string) { _, _ = daemon.SdNotify(false, state) } // a failure is systemd's to notice
	err := d.open(ctx, session.Options{
		Failed: func(err error) { d.log.Error("the computer cannot choose a column", "reason", err) },
	})
	if err != nil {
		return err
	}
	defer d.saver.Close()
	d.log.Info("starting", "version", version(), "board", settings.Model())
	switch left := d.saver.Left; {
	case left.Left:
		d.log.Info("a match waits in the menu", "match", left.ID, "state", words.Record(left))
	case left.ID != "":
		d.log.Info("resuming a match", "match", left.ID, "state", words.Record(left))
	}
	hungUp := make(chan os.Signal, 1) // of its own: a reload holds up no other signal
	signal.Reset(syscall.SIGHUP)      // which would end ctx
	signal.Notify(hungUp, syscall.SIGHUP)
	go func() {
		for range hungUp {
			d.reload(ctx, s, flags)
		}
	}()
	serving, stop := context.WithCancel(ctx)
	var sockets sync.WaitGroup
	sockets.Go(func() { d.serve(serving, s.Socket) })
	go d.alive(serving, notify)
	_, err = d.game.Run(ctx, d.panel)
	notify(daemon.SdNotifyStopping)
	d.panel.Close() // first: the disk and the clients may take long
	d.saver.Close()
	stop()
	sockets.Wait()
	return err
}

// alive tells systemd that the service is ready, and then that it is alive, as long as the game answers.
func (d *service) alive(ctx context.Context, notify func(state string)) {
	watchdog, _ := daemon.SdWatchdogEnabled(false)
	here := d.game.As(game.Source{})
	for state := daemon.SdNotifyReady; ; state = daemon.SdNotifyWatchdog {
		if _, err := here.Do(ctx, game.Tick{}); err != nil {
			return
		}
		if notify(state); watchdog == 0 {
			return
		}
		select {
		case <-time.After(watchdog / 2): // as sd_watchdog_enabled(3) advises
		case <-ctx.Done():
			return
		}
	}
}

// look returns how the settings want the picture to be shown.
func (d *service) look(s *settings.Settings, idle time.Duration) hatpanel.Look {
	l := hatpanel.Look{Colours: s.Colours(), Degrees: s.Degrees(), Idle: idle}
	if !d.emulated && s.Automatic() { // the emulator has no sensors
		l.Sense = s.Sense
	}
	return l
}

// serve serves the socket until the context ends. If that fails, the joystick still works.
func (d *service) serve(ctx context.Context, path string) {
	l, err := socket.Inherited()
	if l == nil && err == nil {
		l, err = socket.Listen(path)
	}
	if err == nil {
		err = d.server.Serve(ctx, l)
	}
	if err != nil {
		d.log.Error("no socket: only the joystick can play", "reason", err)
	}
}

// reload applies a changed configuration to the running service. The match under way continues;
// changed rules apply to the next match. If the configuration has a mistake, reload logs it and
// changes nothing. was has the settings at the start.
func (d *service) reload(ctx context.Context, was *settings.Settings, flags *pflag.FlagSet) {
	s, c, restart, err := was.Reread(flags)
	if err == nil {
		d.panel.Change(d.look(s, c.Idle))
		_, err = d.game.As(game.Source{}).Do(ctx, game.Configure{Setup: c.Setup, Idle: c.Idle, MenuLevel: c.MenuLevel})
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		d.log.Error("cannot reload the configuration", "reason", err)
	default:
		d.server.Default(c.Setup)
		d.log.Info("configuration reloaded")
		if restart {
			d.log.Warn("changes of devices and of the socket take effect after a restart")
		}
	}
}

// newDark returns the command that systemd runs after the service has ended, because a killed
// service leaves its last picture on the LEDs. Like every program that uses the HAT, the command
// locks the HAT first, so the command never clears another program's picture.
func newDark() *cobra.Command {
	s := settings.New()
	cmd := &cobra.Command{
		Use:    "dark",
		Short:  "Clear the LEDs after the service was killed",
		Hidden: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_ = s.Read(cmd.Flags()) // only the device's path is needed: a mistake in the file must not leave LEDs lit
			m, err := hat.OpenMatrix(s.HAT())
			switch {
			case errors.Is(err, hat.ErrNotFound), errors.Is(err, hat.ErrBusy):
				return nil
			case err != nil:
				return err
			}
			return m.Close()
		},
	}
	s.Add(cmd.Flags(), settings.HAT+"config")
	return cmd
}

// newConsole returns the command that udev runs if the matrix is framebuffer 0 beside a screen (see
// systemd/60-c4hat.rules).
func newConsole() *cobra.Command {
	return &cobra.Command{
		Use:    "console",
		Short:  "Move the kernel's text console from the matrix to the screen",
		Hidden: true,
		RunE:   func(*cobra.Command, []string) error { return doctor.PlaceConsole() },
	}
}
