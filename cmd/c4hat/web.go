package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"time"

	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/daemon"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/c4hat/c4hat/internal/socket"
	"github.com/c4hat/c4hat/internal/web"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/spf13/cobra"
)

// webIdle is how long a server that systemd has started stays up after the last browser.
const webIdle = 10 * time.Minute

func newWeb() *cobra.Command {
	s := settings.New()
	w := serving{settings: s}
	watch := "everybody"
	forget := false
	cmd := &cobra.Command{
		Use:   "web",
		Short: "Play and watch in a browser",
		Long: `Serve a page that shows the LEDs live and has all the controls, for a phone beside the
HAT or a computer without a HAT.

Anyone who can open the page may watch. To play, open the link that c4hat web prints. It
works once: the browser that opens it may play for 30 days, and c4hat web prints a link
for another browser.

If the service is running, the page shows the match on the HAT, and somebody there can
admit a browser: with the joystick, choose the digit that the page shows, and press.

If the service is not running, c4hat web runs the match itself. Like c4hat play, it saves
the match in ~/.local/state/c4hat, and resumes an unfinished one.

Only this machine can open the page unless you set --listen. To serve it to the local
network, type sudo systemctl enable --now c4hat-web.socket`,
		Example: `  c4hat web                          print a link to http://127.0.0.1:8484
  c4hat web --open                   open it in the browser
  c4hat web --listen 0.0.0.0:8484    for the local network
  c4hat web --local                  play without the service
  sudo c4hat web --forget            end all pairings`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.Read(cmd.Flags())
			if err != nil {
				return err
			}
			if forget {
				return w.forget(cmd)
			}
			c.Attract, c.Forever = true, true
			w.WatchPaired = watch == "paired"
			return w.serve(cmd, c)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&w.listen, "listen", "127.0.0.1:8484", "`ADDRESS:PORT` to serve the page at")
	flags.Var(settings.Choice(&watch, "everybody", "paired"), "watch", "who may watch")
	flags.BoolVar(&w.local, "local", false, "run the match without the service, even if it is running")
	flags.BoolVar(&w.open, "open", false, "open the link in the browser")
	flags.BoolVar(&forget, "forget", false, "end all pairings and exit")
	s.AddMatch(flags)
	s.Places.Add(flags)
	return cmd
}

type serving struct {
	web.Options
	listen   string
	local    bool
	open     bool
	settings *settings.Settings
}

// forget ends the user's own pairings and, for root, those of the installed service too.
func (w *serving) forget(cmd *cobra.Command) error {
	dirs := []string{w.settings.Own()}
	if os.Geteuid() == 0 && w.settings.State == "" {
		dirs = append(dirs, settings.WebState)
	}
	some, err := web.Forget(dirs)
	if err != nil {
		return err
	}
	forgotten := "there are no pairings"
	if some {
		forgotten = "all pairings are ended"
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), forgotten)
	return err
}

// serve serves the service's match or, if no service is running, a match in this process. A
// server that systemd has started serves only the service's match.
func (w *serving) serve(cmd *cobra.Command, c game.Config) error {
	handed, err := handedOver()
	if err != nil {
		return fmt.Errorf("cannot use the socket from systemd: %w", err)
	}
	w.Game = socket.Dial(w.settings.Socket)
	w.Pairings = &web.Pairings{Dir: w.settings.Own()}
	w.Log = cli.NewLog(cmd.ErrOrStderr())
	w.Joystick = true
	if handed != nil {
		w.Idle = webIdle
		return cli.Orderly(web.New(w.Options).Serve(cmd.Context(), handed), w.Log)
	}
	l, err := (&net.ListenConfig{}).Listen(cmd.Context(), "tcp", w.listen)
	if err != nil {
		return fmt.Errorf("%w: choose another address with --listen", err)
	}
	defer l.Close()
	if !w.local {
		_, err := w.Game.Status(cmd.Context())
		if err == nil {
			w.invite(cmd, l, "the match on the HAT")
			err := cmp.Or(web.New(w.Options).Serve(cmd.Context(), l), context.Cause(cmd.Context()))
			if errors.Is(err, session.ErrInterrupted) || cli.HungUp(err) { // the match goes on
				return nil
			}
			return err
		}
		if cmd.Flags().Changed("socket") || !errors.Is(err, socket.ErrNoDaemon) {
			return err
		}
	}
	w.Joystick = false
	warned := new(cli.FirstWarning)
	o := serviceOptions(c, w.settings.Own(), slog.New(warned))
	kept, err := daemon.Inside(cmd.Context(), o, func(game *socket.Client) error {
		w.Game = game
		w.invite(cmd, l, "a match on this machine")
		return web.New(w.Options).Serve(cmd.Context(), l)
	})
	warned.Tell(cmd.ErrOrStderr())
	if kept {
		fmt.Fprintln(cmd.OutOrStdout(), words.Kept(fmt.Sprintf("%[1]s web or %[1]s play --continue", cli.Program())))
	}
	return err
}

// handedOver returns the socket that systemd hands to this process (sd_listen_fds(3)), or nil.
func handedOver() (net.Listener, error) {
	if os.Getenv("LISTEN_PID") != strconv.Itoa(os.Getpid()) {
		return nil, nil
	}
	if n := os.Getenv("LISTEN_FDS"); n != "1" {
		return nil, fmt.Errorf("LISTEN_FDS is %q, not 1: keep one ListenStream= in c4hat-web.socket", n)
	}
	f := os.NewFile(3, "the first one")
	defer f.Close()
	return net.FileListener(f)
}

// invite prints a link for each browser in turn.
func (w *serving) invite(cmd *cobra.Command, l net.Listener, what string) {
	text, opens := what+": open %s in a browser; Ctrl-C stops the server\n", w.open
	w.Invite = func(path string) error {
		link := web.URL(l.Addr()) + path
		_, err := fmt.Fprintf(cmd.OutOrStdout(), text, link)
		if opens {
			go func() {
				if err := openBrowser(link); err != nil {
					fmt.Fprintf(cmd.ErrOrStderr(), "cannot open a browser: %v\n", err)
				}
			}()
		}
		text, opens = "for another browser: %s\n", false
		return err
	}
}

func openBrowser(link string) error {
	command := map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}[runtime.GOOS]
	if command == nil {
		command = []string{"xdg-open"}
	}
	return exec.Command(command[0], append(command[1:], link)...).Run()
}
