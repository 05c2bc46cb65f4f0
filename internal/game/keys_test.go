package game

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/golden"
)

// scenes has a game in each phase, where possible with a disc to take back and the cursor in column
// 3.
var scenes = []struct {
	name  string
	setup string
}{
	{"attract", "game attract forever"},
	{"menu", "game attract forever\npress left"},
	{"menu, who starts", "game attract forever first=alternate\npress left\npress left"},
	{"menu, levels", "game attract forever\npress left\npress right\npress middle"},
	{"menu, levels of 8x8", "game attract forever\npress left\npress right\npress right\npress middle\npress right"},
	{"aim", "game\ndrops 4\npress left"},
	{"aim, empty", "game\npress left"},
	{"aim, column full", "game\ndrops 333333\npress left"},
	{"aim 8x8", "game board=8x8\ndrops 4\npress left"},
	{"thinking", "game computer=yellow level=3\ndrops 4"},
	{"thinking, on its way", "game computer=yellow level=3\ndrops 4\nchooses 1\nafter 130ms"},
	{"aim, answered", "game computer=yellow level=3\ndrops 4\nchooses 4\nafter 700ms\npress left"},
	{"aim, computer began", "game computer=red level=3\nchooses 4\nafter 1s\npress left"},
	{"fall, computer is next", "game computer=yellow level=3\ncolumn 4"},
	{"fall, computer's", "game computer=yellow level=3\ndrops 4\nchooses 3\nafter 600ms"},
	{"pause, thinking", "game computer=yellow level=3\ndrops 4\npress up\npress right\npress right"},
	{"fall", "game\ndrops 4\npress middle\npress left"},
	{"last fall", "game\ndrops 112233\ncolumn 4"},
	{"cheer, just begun", "game\ndrops 1122334"},
	{"cheer", "game\ndrops 1122334\nafter 1s"},
	{"score", "game\ndrops 1122334\nafter 1500ms"},
	{"victory", "game points=1\ndrops 1122334\nafter 3s"},
	{"draw", "game\ndrops 121212212121343434434343565656656565777777\nafter 1s"},
	{"clear", "game\ndrops 1122334\nafter 3s"},
	{"last clear", "game points=1 forever\ndrops 1122334\nafter 4500ms"},
	{"pause: resume", "game\ndrops 4\npress left\npress up"},
	{"pause: undo", "game\ndrops 4\npress left\npress up\npress right"},
	{"pause: hint", "game\ndrops 4\npress left\npress up\npress right\npress right"},
	{"reading", "game\nvoice\ndrops 4\npress left\npress up\npress left\npress middle"},
	{"pause: end", "game forever\ndrops 4\npress left\npress up\npress up"},
	{"hint", "game\ndrops 4\npress left\nhint\nadvise 0 0 0 0 0 0 0"},
	{"look, at the end", "game forever points=1\ndrops 1122334\nafter 10s\npress right\npress right\npress right\npress middle\nreviewed"},
	{"look, at a mark", "game forever points=1\ndrops 1122334\nafter 10s\npress right\npress right\npress right\npress middle\njudge 7 1 1\njudge 6 1 -1\nreviewed\npress up"},
	{"puzzle being made", "game forever points=1\ndrops 1122334\nafter 10s\npress left\npress left\npress middle\npress middle"},
	{"puzzle", "game forever points=1\ndrops 1122334\nafter 10s\npress left\npress left\npress middle\npress middle\ncomposed 112233 4\npress left"},
	{"puzzle, wrong column", "game forever points=1\ndrops 1122334\nafter 10s\npress left\npress left\npress middle\npress middle\ncomposed 112233 4\nafter 300ms\ncolumn 5\nafter 300ms"},
	{"dark aim", "game idle=1s\ndrops 4\npress left\nafter 1s"},
	{"dark pause", "game idle=1s\ndrops 4\npress left\npress up\nafter 1s"},
	{"dark attract", "game attract forever idle=1s\nafter 1s"},
	{"over", "game points=1\ndrops 1122334\nafter 10s"},
}

var inputs = []string{
	"press up", "press down", "press left", "press right", "press middle",
	"hold up", "hold down", "hold left", "hold right", "hold middle",
	"release left", "release middle",
	"column 5", "column 8", "point 5", "point 8", "undo", "hint", "pause", "back", "choose 1",
	"start", "force board=8x8", "end",
}

// TestEveryKeyInEveryPhase compares what each key does in each phase with testdata/keys.table. Each
// hold is sent 150 ms after the last press of the scene. It repeats the key only if the key was
// pressed in that phase.
func TestEveryKeyInEveryPhase(t *testing.T) {
	var out strings.Builder
	for _, scene := range scenes {
		fmt.Fprintf(&out, "%s\n", scene.name)
		for _, input := range inputs {
			p := playScene(t, scene.setup)
			if strings.HasPrefix(input, "hold ") {
				p.now = p.now.Add(holdEvery)
			}
			p.effects = nil
			before := p.brief()
			must(t, p.do(input))
			if after := p.brief(); after != before {
				fmt.Fprintf(&out, "\t%-14s %s\n", input, after)
			}
		}
	}
	golden.Check(t, "testdata/keys.table", out.String())
}

func playScene(t *testing.T, setup string) *player {
	t.Helper()
	var p *player
	for line := range strings.Lines(setup) {
		line = strings.TrimSpace(line)
		if p != nil {
			p.state.tap = tap{} // nothing is a second tap
		}
		if words, ok := strings.CutPrefix(line, "game"); ok {
			p = newPlayer(t, scriptConfig(t, words))
		} else if err := p.do(line); err != nil {
			t.Fatal(err)
		}
	}
	p.state.tap = tap{}
	return p
}

// Of all sequences of up to six keys, only those admit a browser that walk to its digit and then
// confirm it. So stray presses admit nobody.
func TestStrayPressesAdmitNobody(t *testing.T) {
	for digit := 1; digit <= maxDigit; digit++ {
		p := newPlayer(t, Config{Setup: Setup{Rules: board.Standard, Points: 1}, Attract: true, Forever: true})
		p.step(Admit{digit})
		var try func(g Game, pressed []Key)
		try = func(g Game, pressed []Key) {
			switch g.admission.Answer {
			case Admitted:
				last, sideways := pressed[len(pressed)-1], pressed[:len(pressed)-1]
				left := !slices.Contains(sideways, Right) && len(sideways) == admitSteps
				right := !slices.Contains(sideways, Left) && len(sideways) == maxDigit-admitSteps
				if last != Middle && last != Down || !left && !right {
					t.Fatalf("%d: admitted by %v", digit, pressed)
				}
				return
			case Rejected:
				return
			}
			if len(pressed) == 6 {
				return
			}
			for _, k := range []Key{Left, Right, Up, Down, Middle} {
				next, screen := g, *g.screen.(*admission)
				next.screen = &screen
				next.Step(start.Add(2*admitGrace+time.Duration(len(pressed))*time.Second), Press{Key: k})
				try(next, append(pressed, k))
			}
		}
		try(*p.state, nil)
	}
}
