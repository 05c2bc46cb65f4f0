package daemon

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
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/service/web"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/words"
)

// Page serves a game to browsers.
type Page struct {
	cli.Streams
	Here   Options // of a match in this process; its log is not used
	Socket string  // of the service

	Listen      string // address and port
	WatchPaired bool   // only paired browsers may watch
	Open        bool   // open the link in the browser
	Local       bool   // run the match in this process, even if the service is running
}

// Serve serves the service's match or, if no service is running, a match in this process. A
// server that systemd has started serves only the service's match.
func (p *Page) Serve(ctx context.Context) error {
	handed, err := socket.Inherited()
	if err != nil {
		return err
	}
	o := web.Options{
		Game: socket.Dial(p.Socket), Folder: p.Here.Folder, Joystick: true,
		WatchPaired: p.WatchPaired, Log: cli.NewLog(p.Errs),
	}
	if handed != nil {
		o.Idle = 10 * time.Minute // systemd starts the server again
		return cli.Orderly(web.New(o).Serve(ctx, handed), o.Log)
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", p.Listen)
	if err != nil {
		return fmt.Errorf("%w: choose another address with --listen", err)
	}
	defer l.Close()
	if !p.Local {
		_, err := o.Game.Status(ctx)
		if err == nil {
			o.Invite = p.inviter(l.Addr(), "the match on the HAT")
			err = cmp.Or(web.New(o).Serve(ctx, l), context.Cause(ctx))
			if errors.Is(err, session.ErrInterrupted) || cli.HungUp(err) { // the match goes on
				return nil
			}
			return err
		}
		if !errors.Is(err, socket.ErrNoDaemon) {
			return err
		}
	}
	o.Joystick = false
	o.Invite = p.inviter(l.Addr(), "a match on this machine")
	warned := new(cli.FirstWarning)
	p.Here.Log = slog.New(warned)
	kept, err := p.Here.inside(ctx, func(ctx context.Context, game *socket.Client) error {
		o.Game = game
		return web.New(o).Serve(ctx, l)
	})
	warned.Tell(p.Errs)
	if kept {
		fmt.Fprintln(p.Out, words.Kept(fmt.Sprintf("%[1]s web or %[1]s play --continue", cli.Program())))
	}
	return err
}

// inside runs a game without the HAT, until the context ends or serve returns. serve uses the game
// through the client. kept reports whether a match was saved that can be resumed.
func (o *Options) inside(ctx context.Context, serve func(context.Context, *socket.Client) error) (kept bool, err error) {
	k, state, err := o.open(ctx)
	if err != nil {
		return false, err
	}
	defer k.Close()
	l := session.New(state, session.Options{Computer: o.Computer, Keeper: k})
	server := o.server(k, l, nil, nil, slog.New(slog.DiscardHandler))
	dir, err := os.MkdirTemp("", "c4hat-")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "socket")
	listener, err := net.Listen("unix", path)
	if err != nil {
		return false, err
	}
	running, stop := l.Start(ctx)
	go func() { _ = server.Serve(running, listener) }()
	err = serve(running, socket.Dial(path))
	state, ended := stop()
	return k.Close() && state.Kept(), cmp.Or(ended, err)
}

// inviter returns a function that prints a link for each browser in turn.
func (p *Page) inviter(a net.Addr, what string) func(path string) error {
	where := "in a browser"
	if ip, ok := a.(*net.TCPAddr); ok && ip.IP.IsLoopback() && os.Getenv("SSH_CONNECTION") != "" {
		where += " of this machine (for others: --listen 0.0.0.0:8484)"
	}
	text, opens := what+": open %s "+where+"; Ctrl-C stops the server\n", p.Open
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

// Forget ends the user's own pairings of browsers and, for root, those of the installed service too.
func Forget(out io.Writer, s *settings.Settings) error {
	folders := []string{s.Own()}
	if os.Geteuid() == 0 && s.State == "" {
		folders = append(folders, settings.WebState)
	}
	told := "there are no pairings"
	for _, folder := range folders {
		if err := web.Forget(folder); err == nil {
			told = "all pairings are ended"
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	_, err := fmt.Fprintln(out, told)
	return err
}
