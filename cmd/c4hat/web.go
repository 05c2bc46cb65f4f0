package main

import (
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/service/daemon"
	"github.com/spf13/cobra"
)

func newWeb() *cobra.Command {
	s := settings.New()
	var page daemon.Page
	watch := "everybody"
	forget := false
	cmd := &cobra.Command{
		Use:   "web",
		Short: "Play and watch in a browser",
		Long: `Serve a page that shows the LEDs live and has all the controls, for a phone beside the
HAT or a computer without a HAT. Anyone who can open the page may watch. To play, open
the link that c4hat web prints, once: that browser may play for 30 days. At the HAT,
somebody can admit a browser too, with the digit that its page shows.

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
				return daemon.Forget(cmd.OutOrStdout(), s)
			}
			c.Attract, c.Forever = true, true
			page.Streams, page.Here = cli.StreamsOf(cmd), serviceOptions(c, s.Own(), nil)
			page.Socket = s.Socket
			page.WatchPaired = watch == "paired"
			return page.Serve(cmd.Context())
		},
	}
	flags := cmd.Flags()
	page.Listen = "127.0.0.1:8484"
	flags.Var(settings.String(&page.Listen, page.Listen, "0.0.0.0:8484"), "listen", "`ADDRESS:PORT` to serve the page at")
	flags.Var(settings.Choice(&watch, "everybody", "paired"), "watch", "who may watch")
	flags.BoolVar(&page.Local, "local", false, "run the match without the service, even if it is running")
	flags.BoolVar(&page.Open, "open", false, "open the link in the browser")
	flags.BoolVar(&forget, "forget", false, "end all pairings and exit")
	s.Add(flags, settings.Menu+settings.Places)
	return cmd
}
