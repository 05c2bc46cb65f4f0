package words

import "github.com/c4hat/c4hat/internal/game"

// screen has what is said in a phase. A function that is nil says nothing.
type screen struct {
	title func(*game.View) string // what is shown
	mine  func(*game.View) string // the title for the player to move, and for who plays alone; nil: the same
	event func(*game.View) string // what happened last
	keys  func(*game.View) string // what the joystick's keys do
	help  func(*game.View) [2]string
}

// screens has one entry for each phase, and a file for each screen.
var screens = map[game.Phase]screen{
	game.Attract:   demo,
	game.Menu:      menu,
	game.Aim:       aim,
	game.Thinking:  thinking,
	game.Fall:      fall,
	game.Cheer:     cheer,
	game.Score:     cheer,
	game.Victory:   victory,
	game.Drawn:     cheer,
	game.Clear:     victory,
	game.Paused:    pause,
	game.Hinting:   hint,
	game.Reading:   reading,
	game.Looking:   look,
	game.Making:    making,
	game.Dark:      dark,
	game.Admitting: admission,
	game.Over:      over,
}

// With returns a view with its text.
func With(v game.View) *game.View {
	v.Text = text(&v)
	return &v
}

func text(v *game.View) game.Text {
	s := screens[v.Phase]
	t := game.Text{Title: said(s.title, v), Event: said(s.event, v), Refused: Notice(v.Notice), Keys: said(s.keys, v)}
	if t.Mine = t.Title; s.mine != nil {
		t.Mine = s.mine(v)
	}
	if s.help != nil {
		t.Help = s.help(v)
	}
	if v.UnderWay || v.Solving.On {
		t.Match = ofMatch(v, false)
		if disc := dropped(v.Game, v.Computer); disc != "" {
			t.Back = Back(disc)
		}
	}
	return t
}

// Head is the title of a view. If plays is set, it speaks to somebody who plays here, but who alone may move only
// against the computer.
func Head(v *game.View, plays bool) string {
	s := screens[v.Phase]
	if plays && s.mine != nil && v.Alone() && !v.TakenTurn() {
		return s.mine(v)
	}
	return said(s.title, v)
}

func said(say func(*game.View) string, v *game.View) string {
	if say == nil {
		return ""
	}
	return say(v)
}

func always(text string) func(*game.View) string { return func(*game.View) string { return text } }

func keys(first, second string) func(*game.View) [2]string {
	return func(*game.View) [2]string { return [2]string{first, second} }
}
