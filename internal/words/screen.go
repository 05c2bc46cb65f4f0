package words

import "github.com/c4hat/c4hat/internal/game"

// screen has what is said in a phase. A function that is nil says nothing.
type screen struct {
	title func(*game.View) string // what is shown
	mine  func(*game.View) string // the title for the people who play here; nil: the same
	event func(*game.View) string // what happened last
	keys  func(*game.View) string // what the joystick's keys do
	help  func(*game.View) [2]string
}

// screens has one entry for each phase, and a file for each screen.
var screens = [...]screen{
	game.Attract:   demo,
	game.Menu:      menu,
	game.Aim:       aim,
	game.Thinking:  thinking,
	game.Fall:      fall,
	game.Cheer:     cheer,
	game.Score:     score,
	game.Victory:   victory,
	game.Drawn:     drawn,
	game.Clear:     cleared,
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
func With(v game.View) game.View {
	v.Text = text(&v)
	return v
}

func text(v *game.View) game.Text {
	s := &screens[v.Phase]
	t := game.Text{Title: Title(v), Mine: yourTitle(v), Event: said(s.event, v), Refused: Refusal(v), Keys: said(s.keys, v)}
	if s.help != nil {
		t.Help = s.help(v)
	}
	if v.Phase == game.Aim && !v.Solving.On {
		t.You, t.Wait = YourTurn, "waiting for "+Turn(v.Game)
	}
	if v.UnderWay || v.Solving.On {
		t.Match = begins(v)
		if disc := Dropped(v.Game, v.Computer); disc != "" {
			t.Back = Back(disc)
		}
	}
	return t
}

// Title says in a few words what a view shows.
func Title(v *game.View) string { return said(screens[v.Phase].title, v) }

// yourTitle is [Title] for the people who play here: it speaks to somebody who plays against the computer,
// and at the end of a match names its winner.
func yourTitle(v *game.View) string {
	s := &screens[v.Phase]
	if s.mine == nil {
		return said(s.title, v)
	}
	return s.mine(v)
}

// alone reports whether one person plays, against the computer, and no puzzle.
func alone(v *game.View) bool { return v.Alone() && !v.Solving.On }

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
