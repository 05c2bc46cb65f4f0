package play

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/settings"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/c4hat/c4hat/internal/words"
)

// Status writes what the service is doing.
func Status(out io.Writer, client *socket.Client, s socket.Status, asJSON bool) error {
	if asJSON {
		return cli.WriteJSON(out, struct {
			Daemon bool `json:"daemon"`
			socket.Status
		}{true, s})
	}
	v, err := client.View(s.State)
	if err != nil {
		return err
	}
	m := s.Machine
	devices := map[[2]bool]string{
		{true, true}:  "matrix found, joystick found",
		{true, false}: "matrix found, joystick missing: ",
		{false, true}: "matrix missing, joystick found: ",
		{}:            "matrix missing, joystick waiting for it: ", // the service opens the joystick after the matrix
	}[[2]bool{m.Matrix, m.Joystick}]
	if !m.Matrix || !m.Joystick {
		devices += "run c4hat doctor to find out why"
	}
	if m.I2C != "" {
		devices += "\ndriven over " + m.I2C + ", without the kernel driver"
	}
	if m.I2C != "" || m.BusErrors > 0 {
		devices += fmt.Sprintf("\nbus errors: %d", m.BusErrors)
	}
	_, err = fmt.Fprintf(out, "c4hat %s has been running on the HAT for %v, as process %d\n%s\n%s\n",
		m.Version, time.Duration(m.Uptime)*time.Second, m.PID, devices, inLines(words.Status(&v)))
	return err
}

// inLines writes each part of a sentence on a line, so that none is longer than 80 columns.
func inLines(text string) string { return strings.ReplaceAll(text, "; ", "\n") }

// Saved writes that no service is running, and the user's saved match if there is one, which the command
// resume resumes. It always returns an error, so that scripts can test whether the service is running.
func Saved(out io.Writer, s *settings.Settings, asJSON bool, resume string) error {
	text := fmt.Sprintf("no service is running at %s\n", s.Socket)
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
