package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/c4hat/c4hat/internal/words"
)

// c4hat play starts a match on the service's HAT, where the joystick drops discs too. A second
// match is rejected, a watcher sees the first one, and quitting a client does not end the match.
func TestAttach(t *testing.T) {
	t.Parallel()
	d := newRunning(t)
	d.start(t)
	play := func(args ...string) *terminal {
		return open(t, nil, append([]string{"c4hat", "play", "--socket", d.socket}, args...)...)
	}
	first := play("--points", "1")
	first.shows(t, "red to move", "first to 1 point")
	r := gametest.New(t, game.Config{Setup: game.Setup{Rules: board.Standard, Points: 1}})
	d.shows(t, r.Frame())

	first.types(t, "2")
	d.aims(t, "2")
	d.tap(t, keyRight, keyEnter)
	d.aims(t, "25")
	first.redraws(t, "red to move", "moves", "25")

	second := play()
	if got := second.status(t); got != 1 {
		t.Errorf("a second match: exit status %d, want 1", got)
	}
	second.shows(t, "c4hat: a match is under way (7x6, two players: red 0, yellow 0): ", "--continue", "watch", "--force")

	watcher := open(t, nil, "c4hat", "watch", "--socket", d.socket)
	watcher.shows(t, "red to move", "25", "the match on the HAT")
	watcher.types(t, "3 u p1")
	time.Sleep(300 * time.Millisecond)
	if v := d.latest(); v.Game.String() != "25" || v.Phase != game.Aim {
		t.Errorf("the watcher's keys: %v after %s", v.Phase, v.Game.String())
	}

	first.types(t, "q")
	if got := first.status(t); got != 0 {
		t.Errorf("left: exit status %d, want 0", got)
	}
	first.shows(t, "the match continues on the HAT")
	first.intact(t)

	dropped := play("--continue")
	dropped.shows(t, "red to move", "25")
	_ = dropped.cmd.Process.Signal(syscall.SIGHUP)
	if got := dropped.status(t); got != 0 {
		t.Errorf("a dropped connection: exit status %d, want 0", got)
	}
	interrupted := play("--continue")
	interrupted.shows(t, "red to move", "25")
	interrupted.types(t, "\x03")
	if got := interrupted.status(t); got != 0 {
		t.Errorf("Ctrl-C: exit status %d, want 0", got)
	}
	if v := d.latest(); v.Game.String() != "25" || !v.UnderWay {
		t.Errorf("after everybody left, the match is in %v after %s", v.Phase, v.Game.String())
	}

	again := play("--continue")
	again.shows(t, "red to move")
	for i, col := range []string{"2", "5", "2", "5", "2"} {
		again.types(t, col)
		if i < 4 {
			d.aims(t, "2525252"[:3+i])
			time.Sleep(100 * time.Millisecond) // an earlier key press would be taken for the repeat of a held key
		}
	}
	again.redraws(t, "> two players")
	again.types(t, "q")
	if got := again.status(t); got != 0 {
		t.Errorf("won: exit status %d, want 0", got)
	}
	again.shows(t, "red wins the match 1-0\r\n", "shows the discs that decided it")
	again.intact(t)
	watcher.redraws(t, "two players") // the menu
	watcher.types(t, "q")
	if got := watcher.status(t); got != 0 {
		t.Errorf("watch: exit status %d, want 0", got)
	}

	ends := play("--vs-cpu", "--level", "1", "--cpu", "red")
	d.until(t, "the person's turn", func(v game.View) bool {
		return v.Phase == game.Aim && v.Computer == board.Red && v.Level == 1 && len(v.Game.String()) == 1
	})
	ends.redraws(t, "your turn", "red: computer,")
	d.tap(t, keyUp)
	d.until(t, "the pause screen", func(v game.View) bool { return v.Phase == game.Paused })
	ends.redraws(t, "> resume")
	d.tap(t, keyUp)
	d.until(t, "the end", func(v game.View) bool { return v.Choices.Name() == "end" })
	ends.redraws(t, "> end")
	ends.types(t, " ")
	ends.redraws(t, "> resume")
	ends.types(t, "q")
	if got := ends.status(t); got != 0 {
		t.Errorf("ended: exit status %d, want 0", got)
	}
	short := play("--points", "2") // a match that ends before its first disc, while that one waits
	short.shows(t, "red to move")
	short.types(t, "p")
	short.redraws(t, "> resume", "end")
	short.types(t, "\x1b[A")
	short.redraws(t, "> end")
	short.types(t, " ")
	short.redraws(t, "> resume", "two players")
	short.types(t, "q")
	if got := short.status(t); got != 0 {
		t.Errorf("ended before the first disc: exit status %d, want 0", got)
	}
	resumed := play("--continue")
	resumed.shows(t, "your turn")
	resumed.types(t, "q")
	resumed.shows(t, "the match continues on the HAT")
	resumed.status(t)

	left := play("--points", "2", "--force")
	left.shows(t, "red to move")
	left.types(t, "4")
	d.aims(t, "4")
	forced := play("--force", "--board", "8x8")
	forced.shows(t, "red to move")
	left.types(t, "q") // it shows what the HAT shows
	left.shows(t, "the match continues on the HAT")
	left.status(t)
	if _, err := d.client.Do(t.Context(), game.End{}); err != nil {
		t.Error(err)
	}
	forced.redraws(t, "> two players")
	forced.types(t, "q")
	forced.status(t)

	d.stop(t) // not kill: the last match may not be on the disk yet
	var results []string
	for e, err := range store.History(d.state) {
		if err != nil {
			t.Error(err)
		}
		results = append(results, words.Result(e.Record))
	}
	if got := strings.Join(results, "; "); got != "red wins the match 1-0; given up (red 0, yellow 0); given up (red 0, yellow 0)" { // the match without a disc is not in the history
		t.Errorf("the history is %s", got)
	}
}

// If no flag chooses a match, the menu opens on the HAT. The joystick and the terminal can both
// choose in it.
func TestAttachMenu(t *testing.T) {
	t.Parallel()
	d := newRunning(t)
	d.start(t)
	s := open(t, nil, "c4hat", "play", "--socket", d.socket)
	s.shows(t, "> two players")
	d.until(t, "the menu", func(v game.View) bool { return v.Phase == game.Menu })
	d.tap(t, keyRight)
	s.redraws(t, "> computer: beginner")
	s.types(t, " ")
	s.redraws(t, "your turn", "level beginner")
	d.until(t, "the match", func(v game.View) bool { return v.UnderWay && v.Computer == board.Yellow })
	s.types(t, "p")
	s.redraws(t, "> resume")
	s.types(t, "k")
	s.redraws(t, "> end")
	time.Sleep(350 * time.Millisecond)
	s.types(t, " ")
	s.redraws(t, "> beginner") // a match without a disc does not wait
	s.types(t, "q")
	if got := s.status(t); got != 0 {
		t.Errorf("exit status %d", got)
	}
	s.intact(t)
}

// If nobody has played the match on the HAT for a while, c4hat play offers to resume that match. If
// the user ends it instead, the menu opens.
func TestAttachMenuUnattended(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "config.toml")
	idle := func(time string) {
		t.Helper()
		must(t, os.WriteFile(file, []byte("[game]\nidle = \""+time+"\"\n"), 0o644))
	}
	idle("1s")
	d := newRunning(t, "--config", file)
	d.start(t)
	_, err := d.client.Start(t.Context(), api.MatchRequest{})
	must(t, err)
	d.aims(t, "")
	d.press(t, game.Column{Col: 3})
	d.until(t, "the dark", func(v game.View) bool { return v.Phase == game.Dark && v.Game.String() == "4" })
	idle("10m")
	_ = d.program.Process.Signal(syscall.SIGHUP)
	d.program.says(t, "configuration reloaded")

	refused := start(t, nil, "c4hat", "play", "--vs-cpu", "--socket", d.socket)
	if err := refused.Wait(); err == nil || !strings.Contains(refused.errs.String(), "a match is under way (7x6, two players") {
		t.Errorf("another match: %v, %s", err, refused.errs.String())
	}

	other := open(t, nil, "c4hat", "play", "--socket", d.socket)
	other.shows(t, "the match is paused", "> resume")
	d.until(t, "the offer", func(v game.View) bool { return v.UnderWay && v.Phase == game.Paused && v.Game.String() == "4" })
	id := d.view.ID
	other.types(t, "k")
	other.redraws(t, "> end")
	other.types(t, " ")
	other.redraws(t, "red 0, yellow 0; last disc in column 4", "> resume", "two players")
	d.until(t, "the end", func(v game.View) bool { return !v.UnderWay })
	other.types(t, "j")
	other.redraws(t, "> two players")
	time.Sleep(350 * time.Millisecond) // an earlier key press would be taken for a repeat
	other.types(t, " ")
	other.redraws(t, "this replaces your match: press again")
	time.Sleep(350 * time.Millisecond)
	other.types(t, " ")
	d.until(t, "another match", func(v game.View) bool { return v.Phase == game.Aim && v.ID != id })
	other.redraws(t, "red to move")
	other.types(t, "q")
	other.shows(t, "the match continues on the HAT")
	if got := other.status(t); got != 0 {
		t.Errorf("exit status %d", got)
	}
}

// When the service is killed and restarted, an attached terminal waits, and then shows the resumed
// match.
func TestAttachAcrossRestart(t *testing.T) {
	t.Parallel()
	d := newRunning(t)
	d.start(t)
	s := open(t, nil, "c4hat", "play", "--points", "2", "--socket", d.socket)
	s.shows(t, "red to move")
	s.types(t, "3")
	d.aims(t, "3")
	// Press a key every 10 ms. Only the key presses while the service is down are lost.
	typing, back := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(typing)
		for {
			select {
			case <-back:
				return
			case <-time.After(10 * time.Millisecond):
				_, _ = s.master.WriteString("h")
			}
		}
	}()
	cursor := d.view.Cursor
	d.until(t, "a key", func(v game.View) bool { return v.Cursor != cursor })
	d.kill(t)
	s.redraws(t, "waiting for it")
	d.start(t)
	cursor = d.view.Cursor
	d.until(t, "a key at the new daemon", func(v game.View) bool { return v.Cursor != cursor })
	close(back)
	<-typing
	s.redraws(t, "yellow to move", "u undo") // reconnected
	time.Sleep(300 * time.Millisecond)       // after a quick restart an earlier press would be taken for the repeat of a held key
	s.types(t, "4")
	d.aims(t, "34")
	s.redraws(t, "red to move", "moves", "34")
	s.types(t, "q")
	if got := s.status(t); got != 0 {
		t.Errorf("exit status %d", got)
	}
}

// Flags for settings that belong to the service are rejected.
func TestAttachUsage(t *testing.T) {
	t.Parallel()
	d := newRunning(t)
	d.start(t)
	for _, tt := range []struct {
		args []string
		want int
		says string
	}{
		{[]string{"--state", "mine"}, 2, "c4hat: --state names a folder of your own, and the service has its own"},
		{[]string{"--continue"}, 1, "c4hat: no match is under way on the HAT"},
	} {
		s := open(t, nil, append([]string{"c4hat", "play", "--socket", d.socket}, tt.args...)...)
		if got := s.status(t); got != tt.want {
			t.Errorf("%v: exit status %d, want %d", tt.args, got, tt.want)
		}
		s.shows(t, tt.says)
	}
	if _, err := d.client.Start(t.Context(), api.MatchRequest{Points: 1}); err != nil {
		t.Fatal(err)
	}
	p := start(t, nil, "c4hat", "status", "--socket", d.socket)
	if err := p.Wait(); err != nil || !strings.Contains(p.out.String(), "7x6, two players: red 0, yellow 0\nred begins a round") {
		t.Errorf("status: %v, %q", err, p.out.String())
	}
}
