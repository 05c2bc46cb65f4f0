package main

import (
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/play"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/front/speech"
	"github.com/spf13/cobra"
)

func newSpeak() *cobra.Command {
	s := settings.New()
	cmd := &cobra.Command{
		Use:   "speak",
		Short: "Say what happens on the HAT",
		Long: `Say what happens on the HAT, so that people who do not see it can play with the joystick.
speech-dispatcher speaks if it is running, otherwise espeak-ng. If neither works, each
text is printed as a line, for another program. doc/listening.md has an example.

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
			speaker := speech.NewSpeaker(speech.NewVoice(s.Speech), speech.NewNarrator(s.Verbosity == "short"))
			return cli.Orderly(play.Speak(cmd.Context(), client.Voice(), speaker), log)
		},
	}
	s.Add(cmd.Flags(), settings.Speech+settings.Service)
	return cmd
}
