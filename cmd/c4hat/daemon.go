package main

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"math"
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
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/service/vtconsole"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/coreos/go-systemd/v22/daemon"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

func newDaemon() *cobra.Command {
	s := settings.New()
	check, dark, emulated := false, false, false
	cmd := &cobra.Command{
		Use:   "daemon",
		Short: "Run the game service",
		Long: `Run the game service on the Sense HAT. systemd starts this command. The service shows a
demo until somebody presses a key, and saves matches in the folder that --state names, so
that a match resumes after a power cut. Other commands reach it through its socket.

If the matrix or the joystick is missing or in use, the service waits for it; without
kernel drivers it uses I2C. SIGHUP makes it read its configuration (c4hat config) again.`,
		Example: `  sudo systemctl restart c4hat          restart the installed service
  c4hat daemon --rotate 180 --idle 5m   for a HAT mounted upside down
  c4hat daemon --check --config mine    check a configuration file
  c4hat daemon --state /tmp/c4hat --socket /tmp/c4hat.sock`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if dark {
				_ = s.Read(cmd.Flags())                            // only the device's path is needed
				if m, err := hat.OpenMatrix(s.HAT()); err == nil { // there is a HAT, and no other program has it
					return m.Close()
				}
				return nil
			}
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
			if emulated {
				s.I2C = "off" // it has no sensors
				if !cmd.Flags().Changed("state") {
					s.State = settings.New().Own()
				}
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
	// systemd runs this after the service has ended, because a killed service leaves its picture on the LEDs.
	flags.BoolVar(&dark, "dark", false, "clear the LEDs and exit")
	_ = flags.MarkHidden("dark")
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

	began  time.Time
	saver  *store.Saver
	game   *session.Local
	panel  *hatpanel.Front // nil: there is no HAT
	direct *hat.I2C        // nil: no I²C bus may be used
	server *socket.Server
}

// open opens the folder of the matches, and makes the game and the socket's server.
func (d *service) open(ctx context.Context) (err error) {
	d.began = time.Now()
	if d.saver, err = openSaver(ctx, d.folder, d.log); err != nil {
		return err
	}
	state, err := game.Resume(d.saver.Config(d.config), d.saver.Left, d.began)
	if err != nil {
		d.saver.Close()
		return err
	}
	d.game = session.New(state, session.Options{Computer: newComputer(), Keeper: d.saver, Failed: func(err error) {
		d.log.Error("the computer cannot choose a column", "reason", err)
	}})
	o := socket.Options{As: d.game.As, Matches: d.saver.Matches, Setup: d.config.Setup, Status: d.status, Log: d.log}
	if d.panel != nil {
		o.Borrow = func(ctx context.Context) (socket.Loan, error) { return d.panel.Borrow(ctx) }
	}
	d.server = socket.New(o)
	return nil
}

func (d *service) status() socket.Machine {
	m := socket.Machine{Version: version(), PID: os.Getpid(), Uptime: int64(time.Since(d.began) / time.Second)}
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

// onHAT runs the game on the HAT until the context ends; the error is then the context's cause. flags are those
// of the command line. They still override the configuration after a reload.
func (d *service) onHAT(ctx context.Context, s *settings.Settings, flags *pflag.FlagSet) error {
	signal.Ignore(syscall.SIGPIPE) // a log that nobody reads must not end the service
	where, matrix, joystick := s.HAT(), hat.OpenMatrix, hat.OpenJoystick
	if d.emulated {
		matrix, joystick = emulator.OpenMatrix, emulator.OpenJoystick
	}
	d.direct, d.panel = where.I2C, hatpanel.New(
		func() (*hat.Matrix, error) { return matrix(where) },
		func() (*hat.Joystick, error) { return joystick(where) }, s.Look(), d.log)
	defer d.panel.Close()
	if err := d.open(ctx); err != nil {
		return err
	}
	d.log.Info("starting", "version", version(), "board", settings.Model(), "match", cmp.Or(d.saver.Left.ID, "none"))
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
	go d.alive(serving)
	_, err := d.game.Run(ctx, d.panel)
	notify(daemon.SdNotifyStopping)
	d.panel.Close() // first: the disk and the clients may take long
	d.saver.Close()
	stop()
	sockets.Wait()
	return err
}

// notify tells systemd the state. A failure is systemd's to notice.
func notify(state string) { _, _ = daemon.SdNotify(false, state) }

// alive tells systemd that the service is ready, and then that it is alive, as long as the game answers.
func (d *service) alive(ctx context.Context) {
	watchdog, _ := daemon.SdWatchdogEnabled(false)
	here := d.game.As(game.Source{})
	for state := daemon.SdNotifyReady; ; state = daemon.SdNotifyWatchdog {
		if _, err := here.Do(ctx, game.Tick{}); err != nil {
			return
		}
		notify(state)
		select {
		case <-time.After(cmp.Or(watchdog, math.MaxInt64) / 2): // as sd_watchdog_enabled(3) advises
		case <-ctx.Done():
			return
		}
	}
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

// reload applies a changed configuration, to the next match. A mistake changes nothing. was are the first settings.
func (d *service) reload(ctx context.Context, was *settings.Settings, flags *pflag.FlagSet) {
	s, c, err := was.Reread(flags)
	if err != nil {
		d.log.Error("cannot reload the configuration", "reason", err)
		return
	}
	d.panel.Change(s.Look())
	d.server.Default(c.Setup)
	_, _ = d.game.As(game.Source{}).Do(ctx, game.Configure{Setup: c.Setup, Idle: c.Idle, MenuLevel: c.MenuLevel})
	d.log.Info("configuration reloaded")
}

// newConsole returns the command that udev runs if the matrix is framebuffer 0 beside a screen (see
// systemd/60-c4hat.rules).
func newConsole() *cobra.Command {
	return &cobra.Command{
		Use:    "console",
		Short:  "Move the kernel's text console from the matrix to the screen",
		Hidden: true,
		RunE:   func(*cobra.Command, []string) error { return vtconsole.Place() },
	}
}
