package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/service/web"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/spf13/cobra"
)

func newWeb() *cobra.Command {
	s := settings.New()
	page := &page{Settings: s}
	watch := "everybody"
	forget := false
	cmd := &cobra.Command{
		Use:   "web",
		Short: "Play and watch in a browser",
		Long: `Serve a page that shows the LEDs live and has all the controls, for a phone beside the
HAT or a computer without a HAT. Anyone who can open the page may watch. To play, open
the link that c4hat web prints. It works once, and pairs that browser for 30 days.
Somebody at the HAT can also admit a browser, by the digit that its page shows.

Without the service, c4hat web runs the match itself. To serve the page to the local
network from the start of the machine: sudo systemctl enable --now c4hat-web.socket`,
		Example: `  c4hat web                          print a link to http://127.0.0.1:8484
  c4hat web --open                   open it in the browser
  c4hat web --listen 0.0.0.0:8484    for the local network
  c4hat web --local                  play without the service
  sudo c4hat web --forget            end all pairings`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := s.Match(cmd.Flags())
			if err != nil {
				return err
			}
			if forget {
				return page.forget(cmd.OutOrStdout())
			}
			c.Attract, c.Forever = true, true
			page.Streams, page.config, page.paired = cli.StreamsOf(cmd), c, watch == "paired"
			return page.serve(cmd.Context())
		},
	}
	flags := cmd.Flags()
	page.listen = "127.0.0.1:8484"
	flags.Var(settings.String(&page.listen, page.listen, "0.0.0.0:8484"), "listen", "`ADDRESS:PORT` to serve the page at")
	flags.Var(settings.Choice(&watch, "everybody", "paired"), "watch", "who may watch")
	flags.BoolVar(&page.local, "local", false, "run the match without the service, even if it is running")
	flags.BoolVar(&page.open, "open", false, "open the link in the browser")
	flags.BoolVar(&forget, "forget", false, "end your pairings, as root also the service's, and exit")
	s.Add(flags, settings.Menu+settings.Places)
	return cmd
}

// page is c4hat web: it serves a game to browsers.
type page struct {
	cli.Streams
	*settings.Settings
	config game.Config // of a match in this process

	listen string // address and port
	paired bool   // only paired browsers may watch
	open   bool   // open the link in the browser
	local  bool   // run the match in this process, even if the service is running
}

// serve serves the service's match or, if no service is running, a match in this process. A
// server that systemd has started serves only the service's match.
func (p *page) serve(ctx context.Context) error {
	handed, err := socket.Inherited()
	if err != nil {
		return err
	}
	o := web.Options{Game: socket.Dial(p.Socket), Folder: p.Own(), Joystick: true, WatchPaired: p.paired, Log: cli.NewLog(p.Errs)}
	if handed != nil {
		o.Idle = 10 * time.Minute // systemd starts the server again
		return cli.Orderly(web.New(o).Serve(ctx, handed), o.Log)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", p.listen)
	if err != nil {
		return fmt.Errorf("%w: choose another address with --listen", err)
	}
	defer l.Close()
	if !p.local {
		_, err := o.Game.Status(ctx)
		if err == nil {
			o.Invite = p.inviter(l.Addr(), "the match on the HAT")
			return leaving(cmp.Or(web.New(o).Serve(ctx, l), context.Cause(ctx))) // the match goes on
		}
		if !errors.Is(err, socket.ErrNoDaemon) {
			return err
		}
	}
	o.Joystick, o.Invite = false, p.inviter(l.Addr(), "a match on this machine")
	return p.here(ctx, func(ctx context.Context, game *socket.Client) error {
		o.Game = game
		return web.New(o).Serve(ctx, l)
	})
}

// here runs a game in this process, until the context ends or serve returns. serve uses the game through a client.
func (p *page) here(ctx context.Context, serve func(context.Context, *socket.Client) error) error {
	warned := new(cli.FirstWarning)
	defer warned.Tell(p.Errs)
	d := &service{config: p.config, folder: p.Own(), log: slog.New(warned)}
	if err := d.open(ctx); err != nil {
		return err
	}
	defer d.saver.Close()
	dir, err := os.MkdirTemp("", "c4hat-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "socket")
	l, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	running, stop := d.game.Start(ctx)
	go func() { _ = d.server.Serve(running, l) }()
	err = serve(running, socket.Dial(path))
	state, ended := stop()
	if d.saver.Close() && state.Kept() {
		fmt.Fprintln(p.Out, words.Kept(fmt.Sprintf("%[1]s web or %[1]s play --continue", cli.Program())))
	}
	return cmp.Or(ended, err)
}

// inviter returns a function that prints a link for each browser in turn.
func (p *page) inviter(a net.Addr, what string) func(path string) error {
	where := "in a browser"
	if ip, ok := a.(*net.TCPAddr); ok && ip.IP.IsLoopback() && os.Getenv("SSH_CONNECTION") != "" {
		where += " on this machine (for others: --listen 0.0.0.0:8484)"
	}
	text, opens := what+": open %s "+where+"; Ctrl-C stops the server\n", p.open
	host, port, _ := net.SplitHostPort(a.String())
	if name, err := os.Hostname(); err == nil && net.ParseIP(host).IsUnspecified() {
		host = name + ".local"
	}
	return func(path string) error {
		link := "http://" + net.JoinHostPort(host, port) + path
		_, err := fmt.Fprintf(p.Out, text, link)
		if opens {
			go func() {
				if err := openBrowser(link); err != nil {
					fmt.Fprintf(p.Errs, "cannot open a browser: %v\n", err)
				}
			}()
		}
		text, opens = "for another browser: %s\n", false
		return err
	}
}

func openBrowser(link string) error {
	programs := map[string]string{"darwin": "open", "windows": "rundll32 url.dll,FileProtocolHandler"}
	command := append(strings.Fields(cmp.Or(programs[runtime.GOOS], "xdg-open")), link)
	return exec.Command(command[0], command[1:]...).Run()
}

// forget ends the user's own pairings of browsers and, for root, those of the installed service too.
func (p *page) forget(out io.Writer) error {
	folders := []string{p.Own()}
	if os.Geteuid() == 0 && p.State == "" {
		folders = append(folders, settings.WebState)
	}
	told := "you have no pairings"
	for _, folder := range folders {
		if err := web.Forget(folder); err == nil {
			told = "your pairings are ended"
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	_, err := fmt.Fprintln(out, told)
	return err
}
