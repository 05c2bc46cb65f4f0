package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/settings"
	"github.com/c4hat/c4hat/internal/socket"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/spf13/cobra"
)

func newStatus() *cobra.Command {
	var p settings.Places
	asJSON := false
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what the service is doing",
		Long: `Show the match under way, and whether the service has found the HAT. If no service is
running, show your saved match, if there is one; the exit status is then 1.`,
		Example: `  c4hat status
  c4hat status --json | jq .match.rounds   the moves of the match, for programs`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, status, err := dial(cmd, &p)
			switch {
			case errors.Is(err, socket.ErrNoDaemon):
				return alone(&p, cmd.OutOrStdout(), asJSON)
			case err != nil:
				return err
			case asJSON:
				return cli.WriteJSON(cmd.OutOrStdout(), struct {
					Daemon bool `json:"daemon"`
					socket.Status
				}{true, status})
			}
			v, err := client.View(status.State)
			if err != nil {
				return err
			}
			return writeStatus(cmd.OutOrStdout(), status.Machine, v)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	p.Add(cmd.Flags())
	return cmd
}

func writeStatus(out io.Writer, m socket.Machine, v game.View) error {
	up := time.Duration(m.Uptime) * time.Second
	fmt.Fprintf(out, "c4hat %s has been running on the HAT for %v, as process %d\n", m.Version, up, m.PID)
	doctor := ""
	if !m.Matrix || !m.Joystick {
		doctor = ": run c4hat doctor to find out why"
	}
	found := map[bool]string{true: "found", false: "missing"}
	fmt.Fprintf(out, "matrix %s, joystick %s%s\n", found[m.Matrix], found[m.Joystick], doctor)
	switch {
	case m.I2C != "":
		fmt.Fprintf(out, "driven over %s, without the kernel driver; bus errors: %d\n", m.I2C, m.BusErrors)
	case m.BusErrors > 0:
		fmt.Fprintf(out, "bus errors: %d\n", m.BusErrors)
	}
	_, err := fmt.Fprintln(out, inLines(words.Status(&v)))
	return err
}

// inLines writes each part of a sentence on a line, so that none is longer than 80 columns.
func inLines(text string) string { return strings.ReplaceAll(text, "; ", "\n") }

// alone prints that no service is running, and the user's saved match if there is one. It always
// returns an error, so that scripts can test whether the service is running.
func alone(p *settings.Places, out io.Writer, asJSON bool) error {
	var saved *game.Record
	if dir := p.Own(); dir != "" {
		if m, ok := store.Left(dir); ok {
			saved = &m
		}
	}
	if asJSON {
		return cmp.Or(cli.WriteJSON(out, struct {
			Daemon bool         `json:"daemon"`
			Match  *game.Record `json:"match"`
		}{Match: saved}), cli.ErrReported)
	}
	_, err := fmt.Fprintf(out, "no service is running at %s\n", p.Socket)
	if saved != nil {
		_, err = fmt.Fprintln(out, inLines(words.YourMatch(*saved, cli.Program()+" play --continue")))
	}
	return cmp.Or(err, cli.ErrReported)
}
