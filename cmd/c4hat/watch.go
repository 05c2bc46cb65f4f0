package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/front/console"
	"github.com/c4hat/c4hat/internal/front/speech"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/spf13/cobra"
)

// dial reads where the service is, and asks for its status.
func dial(cmd *cobra.Command, s *settings.Settings) (*socket.Client, socket.Status, error) {
	if err := s.Read(cmd.Flags()); err != nil {
		return nil, socket.Status{}, err
	}
	client := socket.Dial(s.Socket)
	status, err := client.Status(cmd.Context())
	return client, status, err
}

// output is a panel without keys.
type output func(game.View) error

func (o output) Show(v game.View) error { return o(v) }

func (o output) Next(ctx context.Context) (game.Event, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

func newWatch() *cobra.Command {
	s := settings.New()
	showBoard := false
	cmd := &cobra.Command{
		Use:   "watch",
		Short: "Watch the match on the HAT",
		Long: `Show the match on the HAT in this terminal, until you press q or Ctrl-C. Other keys do
nothing.

In a pipe, the match is lines of text.`,
		Example: `  c4hat watch                                watch until q
  c4hat watch | espeak-ng                    listen to the match
  c4hat watch --show-board | tee match.txt   with the board, and saved to a file`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, _, err := dial(cmd, s)
			switch {
			case errors.Is(err, socket.ErrNoDaemon) && !cmd.Flags().Changed("socket") && !settings.OnPi():
				return errors.New("watch shows the match of the service, which runs on a Raspberry Pi: to play here, type c4hat play")
			case err != nil:
				return err
			}
			boards := console.OnDemand
			if showBoard {
				boards = console.EachTurn
			}
			std := cli.StreamsOf(cmd)
			var front session.Panel = output(console.Follow(std.Out, boards))
			if std.CanDraw() {
				panel, err := openPicture(s)
				if err != nil {
					return err
				}
				defer panel.Close()
				panel.Watches = true
				front = panel
			}
			_, err = session.Attach(cmd.Context(), client, front, session.Terms{Watch: true})
			return leaving(err)
		},
	}
	cmd.Flags().BoolVar(&showBoard, "show-board", false, "in plain text, show the board at each turn")
	s.Add(cmd.Flags(), "palette "+settings.Service)
	return cmd
}

func newSpeak() *cobra.Command {
	s := settings.New()
	cmd := &cobra.Command{
		Use:   "speak",
		Short: "Say what happens on the HAT",
		Long: `Say what happens on the HAT, so that people who do not see it can play with the joystick.
speech-dispatcher speaks if it is running, otherwise espeak-ng. If neither works, each
text is printed as a line, for another program.

To let the voice start with the machine, type sudo systemctl enable --now c4hat-speech,
or on a desktop systemctl --user enable --now c4hat-speech.`,
		Example: `  c4hat speak                                until Ctrl-C
  c4hat speak --rate 250 --language en-gb    faster, with a British voice
  c4hat speak --verbosity full               in whole sentences
  c4hat speak --engine lines | tee said.txt  as lines of text`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, _, err := dial(cmd, s)
			if err != nil {
				return err
			}
			log := cli.NewLog(cmd.ErrOrStderr())
			s.Speech.Lines, s.Speech.Log = cmd.OutOrStdout(), log
			speaker := speech.NewSpeaker(s.Speech, speech.NewNarrator(s.Verbosity == "short"))
			ctx, cancel := context.WithCancelCause(cmd.Context())
			var speaking sync.WaitGroup
			speaking.Go(func() { cancel(session.Guard(func() error { return speaker.Run(ctx) })) })
			_, err = session.Attach(ctx, client.Voice(), output(speaker.Show), session.Terms{Watch: true})
			cancel(err)
			speaking.Wait() // what is being said ends
			return cli.Orderly(leaving(err), log)
		},
	}
	s.Add(cmd.Flags(), settings.Speech+settings.Service)
	return cmd
}

func newStatus() *cobra.Command {
	s := settings.New()
	asJSON := false
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show what the service is doing",
		Long: `Show the match under way, and whether the service has found the HAT. If no service is
running, show your saved match, if there is one, and exit with status 1.`,
		Example: `  c4hat status
  c4hat status --json | jq .match.rounds   the moves of the match, for programs`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, status, err := dial(cmd, s)
			switch {
			case errors.Is(err, socket.ErrNoDaemon):
				return tellSaved(cmd.OutOrStdout(), s, asJSON, cli.Command("play --continue", cmd.Flags(), "state config"))
			case err != nil:
				return err
			case asJSON:
				return cli.WriteJSON(cmd.OutOrStdout(), struct {
					Daemon bool `json:"daemon"`
					socket.Status
				}{true, status})
			}
			m := status.Machine
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "c4hat %s has been running for %v, as process %d\n%s\n%s\n",
				m.Version, time.Duration(m.Uptime)*time.Second, m.PID, devices(m), inLines(words.Status(&status.View)))
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	s.Add(cmd.Flags(), settings.Places)
	return cmd
}

// devices says which parts of a HAT the service has found.
func devices(m socket.Machine) string {
	text := "matrix found, joystick found"
	switch {
	case !m.Matrix: // the service opens the joystick after the matrix
		text = "matrix missing: run c4hat doctor to find out why"
	case !m.Joystick:
		text = "matrix found, joystick missing: run c4hat doctor to find out why"
	}
	if m.I2C != "" {
		text += "\ndriven over " + m.I2C + ", without the kernel driver"
	}
	if m.Lent {
		text += "\na program has borrowed the HAT: up, held for two seconds, takes it back"
	}
	if m.I2C != "" || m.BusErrors > 0 {
		text += fmt.Sprintf("\nbus errors: %d", m.BusErrors)
	}
	return text
}

// inLines writes each part of a sentence on a line, so that none is longer than 80 columns.
func inLines(text string) string { return strings.ReplaceAll(text, "; ", "\n") }

// tellSaved writes that no service is running, and the user's saved match if there is one, which the command
// resume resumes. It always returns an error, so that scripts can test whether the service is running.
func tellSaved(out io.Writer, s *settings.Settings, asJSON bool, resume string) error {
	text := fmt.Sprintf("no service is running at %s: c4hat doctor says why\n", s.Socket)
	var saved *match.Document
	if m, ok := store.Left(s.Own()); s.Own() != "" && ok && m.Begun() {
		d := m.Document()
		saved = &d
		text += inLines(words.YourMatch(m, resume)) + "\n"
	}
	if asJSON {
		return cmp.Or(cli.WriteJSON(out, struct {
			Daemon bool            `json:"daemon"`
			Match  *match.Document `json:"match"`
		}{Match: saved}), cli.ErrReported)
	}
	_, err := io.WriteString(out, text)
	return cmp.Or(err, cli.ErrReported)
}
