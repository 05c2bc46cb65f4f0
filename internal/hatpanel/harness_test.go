package hatpanel

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/hat/hattest"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/session"
)

// onHAT runs a game on a HAT in memory while the test plays. It returns the log and the
// loop's error.
func onHAT(t *testing.T, h *hattest.HAT, o session.Options, test func(cancel context.CancelFunc, other *gametest.Panel)) (logged string, err error) {
	t.Helper()
	var log bytes.Buffer
	panel := NewOf(h, nil, nil, nil, slog.New(slog.NewTextHandler(&log, nil)))
	s, err := game.New(game.Config{Setup: game.Setup{Rules: board.Standard, Points: 2}}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	other := gametest.NewPanel()
	o.Panels = append(o.Panels, panel, other)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := session.New(s, o).Run(ctx)
		panel.Close()
		done <- err
	}()
	synctest.Wait()
	test(cancel, other)
	cancel()
	err = <-done
	return log.String(), err
}

// same checks that the LEDs show the same as the other panel.
func same(t *testing.T, h *hattest.HAT, other *gametest.Panel) {
	t.Helper()
	synctest.Wait()
	if got := lettersOf(other.Last()); h.Letters() != got {
		t.Fatalf("the LEDs show\n%swant\n%s", h.Letters(), got)
	}
}

// lettersOf draws a view's LEDs as [hattest.HAT.Letters] does.
func lettersOf(v game.View) string {
	f := gametest.Colours(v)
	return hattest.Letters(&f)
}

const darkLEDs = "........\n........\n........\n........\n........\n........\n........\n........\n"

// sleep lets time pass in a synctest bubble, and waits until everything that happens in this time
// is done.
func sleep(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}
