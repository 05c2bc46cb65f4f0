package main

import (
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/front/hatpanel"
	"github.com/c4hat/c4hat/internal/front/speech"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
)

// scene is a picture's file name and the script that films it: on the LEDs, in a terminal of width ×
// height cells if width is not 0, or as what a listener hears.
type scene struct {
	name          string
	script        func(*stage)
	width, height int
}

var scenes = []scene{
	{name: "menu.svg", script: menu},
	{name: "first.svg", script: first},
	{name: "drop.svg", script: drop},
	{name: "win.svg", script: win},
	{name: "score.svg", script: score},
	{name: "hint.svg", script: hint(hatpanel.Classic, hinted)},
	{name: "colourblind.svg", script: hint(hatpanel.Colourblind, hinted)},
	{name: "night.svg", script: hint(hatpanel.Night, hinted)},
	{name: "attract.svg", script: attract},
	{name: "full.svg", script: full},
	{name: "look.svg", script: lookBack},
	{name: "puzzle.svg", script: solve},
	{name: "listening.svg", script: listen},
	{"terminal-replay.svg", replay, 80, 24},
	{"terminal-small.svg", inTerminal, 40, 12},
	{"terminal-full.svg", hint(hatpanel.Classic, exact), 80, 24},
	{"terminal-hint.svg", hint(hatpanel.Classic, hinted), 80, 24},
	{"terminal-pause.svg", pause, 80, 24},
}

// These are the pauses of a person who plays.
const (
	moment = 300 * time.Millisecond
	breath = 900 * time.Millisecond
)

// match is a match to two points, starting from an opening.
func between(rules board.Rules, opening string) game.Config {
	return game.Config{Setup: game.Setup{Rules: rules, Points: 2, Opening: opening}, Seed: 1}
}

// against is a match against the computer, which has the second colour.
func against(level match.Level, rules board.Rules, opening string) game.Config {
	c := between(rules, opening)
	c.Computer, c.Level = board.Yellow, level
	return c
}

// demo is the demo before a match.
func demo() game.Config {
	c := between(board.Standard, "")
	c.Attract = true
	return c
}

// menu goes through the menu's first page and the computer's levels.
func menu(s *stage) {
	s.begin(demo())
	s.press(0, game.Middle)
	s.rolling = true
	s.wait(breath)
	s.press(breath, game.Right, game.Middle, game.Left, game.Left, game.Up, game.Right, game.Middle)
}

// first goes through the options for who starts. 1 and 2 change their colours once.
func first(s *stage) {
	c := demo()
	c.First = board.FirstAlternate
	s.begin(c)
	s.press(0, game.Middle, game.Left)
	s.rolling = true
	s.press(2*breath, game.Middle, game.Middle, game.Middle)
}

// drop shows one disc of each player.
func drop(s *stage) {
	s.begin(between(board.Standard, "44433552"))
	s.rolling = true
	s.wait(breath)
	s.press(moment, game.Right)
	s.press(2*moment, game.Right)
	s.press(2*breath, game.Middle)
	s.press(moment, game.Left)
	s.press(2*moment, game.Left)
	s.press(2*breath, game.Middle)
}

// diagonal is a round that red wins with one more disc in the middle.
const diagonal = "1223343446"

// win shows the winning disc, the cheer, the points and the next round.
func win(s *stage) {
	s.begin(between(board.Standard, diagonal))
	s.rolling = true
	s.wait(breath)
	s.press(breath, game.Middle)
	s.until(game.Aim)
	s.wait(2 * breath)
}

// score shows the second point of the match.
func score(s *stage) {
	s.begin(between(board.Standard, diagonal))
	s.press(breath, game.Middle)
	s.until(game.Aim)
	for i := range 7 { // red gets four in the first column
		s.wait(breath)
		s.do(game.Column{Col: i % 2})
	}
	s.until(game.Score)
	s.snap()
}

// In the first of these matches columns win, draw and lose; in the second, after 30 discs, their scores
// are exact.
var (
	hinted = against(match.Perfect, board.Standard, "34465143564314")
	exact  = against(match.Perfect, board.FullMatrix, "453773551212853834468783546176")
)

// hint shows the columns' scores for red, in a palette.
func hint(palette string, c game.Config) func(*stage) {
	return func(s *stage) {
		s.colours = hatpanel.NewColours(palette, hatpanel.Full)
		s.begin(c)
		s.do(game.Hint)
		s.snap()
	}
}

// attract shows the demo in the middle of a game.
func attract(s *stage) {
	s.begin(demo())
	s.wait(15 * time.Second)
	s.rolling = true
	s.wait(6 * time.Second)
}

// full shows the full matrix, where every LED is a cell.
func full(s *stage) {
	s.begin(between(board.FullMatrix, "4455366342735"))
	s.wait(moment)
	s.snap()
}

// inTerminal shows a match against the computer after a few discs.
func inTerminal(s *stage) {
	s.begin(against(match.UsualLevel, board.Standard, "4453344"))
	s.wait(3 * time.Second)
	s.press(breath, game.Right)
	s.snap()
}

func pause(s *stage) {
	s.begin(between(board.Standard, "4453344"))
	s.press(moment, game.Up, game.Right)
	s.snap()
}

// lost is a match that yellow lost with disc 4: red then built two threats.
func lost() game.Record {
	m, g, _ := board.ParseMatch(board.Standard, 1, board.FirstRed, 0, []string{"5162473"}) // the match is valid
	return game.Record{ID: "lost", Match: m, Game: g, Computer: board.Yellow, Level: match.Beginner}
}

// toEntry opens the menu from the demo, and presses a key a number of times.
func toEntry(s *stage, key game.Key, times int) {
	c := demo()
	c.Forever, c.Last = true, lost()
	s.begin(c)
	s.press(0, game.Middle)
	for range times {
		s.press(0, key)
	}
}

// lookBack goes back to the disc that lost the match, and plays what follows and what would have won.
func lookBack(s *stage) {
	toEntry(s, game.Right, 3)
	s.rolling = true
	s.wait(breath)
	s.press(breath, game.Middle)
	s.press(0, game.Up) // the last disc that yellow could drop
	s.press(2*moment, game.Up)
	s.press(breath+2*moment, game.Down)
	s.press(2*breath, game.Down)
}

// replay shows the position after the disc that lost the match.
func replay(s *stage) {
	s.now = time.Unix(0, 0)
	s.state = game.LookBack(lost(), s.now)
	s.do(game.Tick{})
	for range 4 {
		s.press(2*moment, game.Right) // the disc blinks, and is lit then
	}
	s.snap()
}

// solve tries a wrong column of a puzzle, and then the right ones.
func solve(s *stage) {
	toEntry(s, game.Left, 2)
	s.press(0, game.Middle)
	s.rolling = true
	s.wait(breath)
	s.press(breath, game.Middle)
	line := s.puzzle.Line
	wrong, p := 0, s.puzzle.Game.Position()
	for wrong == int(line[0]) || !p.Legal(wrong) {
		wrong++
	}
	s.do(game.Column{Col: wrong})
	s.wait(2 * breath)
	for disc := range s.puzzle.Discs {
		s.until(game.Aim)
		s.do(game.Column{Col: int(line[2*disc])})
	}
	s.until(game.Cheer)
	s.wait(breath)
}

// listen is what the voice says of a turn against the computer. The first time, which is left out, it
// also says what the keys do.
func listen(s *stage) {
	s.voice = speech.NewNarrator(true)
	for range 2 {
		c := demo()
		c.Level = match.Beginner
		s.begin(c)
		s.said = nil
		for _, k := range []game.Key{
			game.Middle, game.Right, game.Middle, game.Middle, game.Left, game.Middle, // starts a match, and drops a disc
			game.Up, game.Right, game.Right, game.Middle, // a hint
		} {
			s.wait(2 * breath)
			s.press(0, k)
		}
	}
}
