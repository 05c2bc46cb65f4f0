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

// Text says in sentences what a view shows, for clients that do not know the game.
type Text struct {
	Title   string    `json:"title"`             // what is shown: whose turn, an entry of the menu, …
	Mine    string    `json:"mine"`              // the title for the player to move, and for who plays alone against the computer
	Event   string    `json:"event,omitempty"`   // what happened last: a disc, the end of a round, a hint
	Back    string    `json:"back,omitempty"`    // what to say if the last disc is taken back
	Match   string    `json:"match,omitempty"`   // the match or the puzzle: its rules
	Refused string    `json:"refused,omitempty"` // why the last key was refused
	Keys    string    `json:"keys,omitempty"`    // what the joystick's keys do
	Help    [2]string `json:"help"`              // what the keys of a keyboard do, in at most 40 letters each
}

// Of returns the text of a view.
func Of(v *game.View) Text {
	s := screens[v.Phase]
	t := Text{Title: Head(v, false), Event: said(s.event, v), Refused: Notice(v.Notice), Keys: Keys(v), Help: Help(v)}
	if t.Mine = t.Title; s.mine != nil {
		t.Mine = s.mine(v)
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

// Keys says what the joystick's keys do.
func Keys(v *game.View) string { return said(screens[v.Phase].keys, v) }

// Help says what the keys of a keyboard do, in at most 40 letters each.
func Help(v *game.View) (lines [2]string) {
	if help := screens[v.Phase].help; help != nil {
		lines = help(v)
	}
	return lines
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
