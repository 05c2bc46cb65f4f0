package term

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/computer"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/levels"
)

// The screen in doc/terminal.md is what the program shows.
func TestPageScreen(t *testing.T) {
	page, err := os.ReadFile("../../doc/terminal.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(page), "```text\n")
	shown, _, ok := strings.Cut(after, "```\n")
	if !ok {
		t.Fatal("doc/terminal.md shows no screen")
	}
	const moves = "34465143564314"
	if !strings.Contains(string(page), "--vs-cpu --level perfect --position "+moves) {
		t.Errorf("doc/terminal.md does not say how to get that screen")
	}
	setup := game.Setup{Rules: board.Standard, Points: 2, Computer: board.Yellow, Level: levels.Perfect, Opening: moves}
	s, now := state(t, game.Config{Setup: setup}, game.Hint)
	position := s.View(now).Game.Position()
	var a game.Advised
	a.ID = 1
	var player computer.Computer
	if a.Advice, err = player.Advise(t.Context(), position); err != nil {
		t.Fatal(err)
	}
	s, _ = s.Step(now, a)

	panel, screen := simulate(t, leastWidth, leastHeight, "")
	panel.screen = colourless{screen}
	if err := panel.Show(s.View(now.Add(time.Second/2-1)), false); err != nil {
		t.Fatal(err)
	}
	if is := text(screen); strings.TrimRight(is, "\n") != strings.TrimRight(shown, "\n") {
		t.Errorf("doc/terminal.md shows\n%s\nthe program\n%s", shown, is)
	}
}
