package term

import (
	"fmt"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// headline describes the phase. The entries of a list are beside it.
func (p *Panel) headline() string {
	v := &p.view
	switch list := len(v.Choices.All()) > 0; {
	case list:
		return words.Heads(v)
	case p.Watches:
		return words.Title(v)
	}
	return words.YourTitle(v)
}

// inASCII replaces the runes of the help that are not ASCII.
var inASCII = strings.NewReplacer("← → ↑ ↓", "arrows", "← →", "left right", "↑ ↓", "up down", "←", "left", "→", "right", "↑", "up", "↓", "down")

// PlayHelp is the [Help] of a panel on which a match is played.
func PlayHelp(v *game.View) [2]string {
	switch v.Phase {
	case game.Aim, game.Fall, game.Thinking:
		turn := [2]string{"somebody else's turn", "↑ pause  u undo  q quit"}
		switch seat := v.Seats[v.Game.Position().Turn()-board.Red]; {
		case v.Unattended():
			return [2]string{"you only watch", "↑ pause  q quit"}
		case v.Phase == game.Thinking:
			turn[0] = "the computer's turn"
		case v.Phase == game.Fall || seat.State == game.Open:
			turn[0] = fmt.Sprintf("← → move  ↓ drop  1-%d column", v.Match.Rules().Columns)
			turn[1] = "↑ pause  u undo  ? hint  q quit"
		case seat.Holder != "":
			turn[0] = "the program's turn"
		}
		return turn
	case game.Attract:
		return [2]string{"Enter opens the menu", "q quit"}
	case game.Looking:
		keys := "← → step  ↑ ↓ mistakes"
		switch {
		case v.AllShown() && v.Look.Exact && !v.Look.Last.Marked():
			keys = "← step back  ↑ last mistake"
		case v.Game.Position().Ply() == v.OpeningOf(v.Look.Round-1) && !v.Look.Only:
			keys = "→ step  ↓ next mistake  ↑ leaves"
		case v.Look.Variation != "":
			keys = "← → step  ↑ back  ↓ goes on"
		case !v.Look.Told && v.Look.Last.Why.Line+v.Look.Last.Better.Line != "":
			keys = "↓ shows why  ↑ mistake  ← → step"
		}
		return [2]string{keys, "space plays  Esc back  q quit"}
	case game.Making:
		return [2]string{"Esc back", "q quit"}
	case game.Menu:
		if v.Choices.Page != "menu" {
			return [2]string{"↑ ↓ move", "Enter choose  Esc back  q quit"}
		}
		return [2]string{"↑ ↓ move  ← → change", "Enter choose  q quit"}
	case game.Paused:
		return [2]string{"↑ ↓ move", "Enter choose  Esc resume  q quit"}
	case game.Reading:
		return [2]string{"← → ↑ ↓ read the board", "Enter continues  q quit"}
	case game.Hinting:
		unknown := "0 draws"
		if !v.Advice.Exact {
			unknown = "? unknown"
		}
		return [2]string{"larger + wins sooner  - loses  " + unknown, "1-" + fmt.Sprint(v.Match.Rules().Columns) + " drop  Enter close  q quit"}
	case game.Cheer, game.Score, game.Victory, game.Clear:
		if v.Match.Winner() != board.Empty && !v.Solving.On {
			return [2]string{"Enter rematch  l look back", "m menu  q quit"}
		} else if v.Solving.On {
			return [2]string{"Enter next puzzle", "Esc back  q quit"}
		}
	case game.Dark:
		return [2]string{"any key continues", "q quit"}
	case game.Admitting:
		return [2]string{"the joystick answers: up refuses", "q quit"}
	case game.Over:
		return [2]string{}
	}
	if v.Phase == game.Cheer || v.Phase == game.Drawn { // others are over before somebody presses a key
		return [2]string{"Enter continues  l look back", "q quit"}
	}
	return [2]string{"Enter continues", "q quit"}
}

// beside returns the lines beside the picture, at most room of them. worth says whether they
// include a hint's scores. note is shown if nothing else has happened.
func beside(v *game.View, room int, worth bool, note string) []string {
	if len(v.Choices.All()) > 0 {
		return choices(v)
	}
	if !inMatch(v) {
		return nil
	}
	lines := []string{words.Points(v.Match), words.Target(v.Match)}
	if v.Solving.On {
		lines = nil
		if v.Game.Position().Outcome() == board.Playing {
			lines = []string{"only one column wins"}
		}
		if v.Solving.InARow > 0 {
			lines = append(lines, fmt.Sprintf("%d solved in a row", v.Solving.InARow))
		}
	} else if v.Computer != board.Empty {
		level := fmt.Sprintf("level %v", v.Level)
		if words.Estimates(v.Match.Rules(), v.Level) {
			level = fmt.Sprintf("%v, estimates", v.Level)
		}
		lines = append(lines, v.Match.Rules().Name(v.Computer)+": computer,", level)
	}
	for i, seat := range v.Seats {
		if seat.Holder != "" {
			lines = append(lines, wrap(v.Match.Rules().Name(board.Red+board.Disc(i))+": "+seat.Holder, " ", textWidth)...)
		}
	}
	for i, seat := range v.Seats {
		if seat.State == game.Away {
			lines = append(lines, words.Seat(v.Match.Rules(), board.Red+board.Disc(i), seat))
		}
	}
	switch {
	case v.Phase == game.Hinting && worth:
		if why := wrap(words.Because(v), " ", textWidth); why != nil {
			lines = append(why, "")
		}
		return join(lines, advice(v), room)
	case v.Phase == game.Hinting:
		return join(lines, wrap(words.Because(v), " ", textWidth), room)
	case v.Phase == game.Looking:
		return join(lines, verdicts(v, room, !worth), room)
	}
	lines = join(join(lines, tell(note), room), tell(words.Happened(v)), room)
	log := wrap(v.Game.String(), " ", textWidth)
	if len(log) > 0 && len(lines)+1+len(log) <= room {
		log = append([]string{"moves"}, log...)
	}
	return join(lines, log[max(0, len(log)-(room-len(lines))):], room)
}

// verdicts says what the last disc did, and how the round ends with perfect play. If there is not room
// for everything, it only says why the disc has a mark, and if need be that sentence by sentence: what
// would have been better comes with its variation. signed reports whether columns have signs above them.
func verdicts(v *game.View, room int, signed bool) []string {
	blame := words.Blame(v)
	why := wrap(blame, " ", textWidth)
	lines := append(tell(words.Move(v.Board(), v.Computer)), why...)
	lines = append(lines, wrap(words.Next(v, blame), " ", textWidth)...)
	if before, _, _, ok := signs(v); ok && signed && len(lines) < room {
		disc := before.Ply() + 1
		legend := []string{fmt.Sprintf("for %s at disc %d:", before.Rules().Name(before.Turn()), disc), "+ wins 0 draws - loses"}
		if len(lines)+len(legend) > room {
			legend = []string{fmt.Sprintf("+ 0 -: for disc %d", disc)}
		}
		lines = join(lines, legend, max(room, len(lines)+len(legend)))
	}
	if len(lines) <= room || why == nil {
		return lines
	}
	if lost, better, ok := strings.Cut(blame, ". "); ok && len(why) > room {
		if v.Look.Variation == game.Improvement {
			lost = better
		}
		return wrap(lost, " ", textWidth)
	}
	return why
}

// join appends more to lines, after a blank line if there is room for it. If there is not room for
// everything, it drops the end of lines.
func join(lines, more []string, room int) []string {
	more = more[:min(len(more), max(0, room))]
	lines = lines[:min(len(lines), max(0, room-len(more)))]
	if len(more) > 0 && len(lines)+1+len(more) <= room {
		lines = append(lines, "")
	}
	return append(lines, more...)
}

// choices lists the items of the page, and marks the selected one.
func choices(v *game.View) []string {
	var lines []string
	for i, name := range v.Choices.All() {
		mark := "  "
		if i == v.Choices.Chosen {
			mark = "> "
		}
		lines = append(lines, mark+name)
	}
	if v.Phase == game.Paused && v.Choices.Name() == "end" && !v.Solving.On {
		if v.Begun() && v.Seats[0].State == game.Open && v.Seats[1].State == game.Open {
			return append(lines, "", "the menu can resume it")
		}
		return append(lines, "", "no point for anyone")
	}
	return lines
}

// advice lists the scores of the columns, two per line.
func advice(v *game.View) []string {
	position := v.Game.Position()
	var lines []string
	for col := range v.Match.Rules().Columns {
		worth := "  full"
		if position.Legal(col) {
			worth = fmt.Sprintf("%6s", words.Score(v.Advice, col))
		}
		entry := fmt.Sprintf("%d:%s", col+1, worth)
		if col%2 == 0 {
			lines = append(lines, entry)
		} else {
			lines[len(lines)-1] += "   " + entry
		}
	}
	return lines
}

// tell breaks a text into lines: first what happened, then, on a new line, where it happened.
func tell(text string) []string {
	what, where, ok := strings.Cut(text, ": ")
	if ok {
		what += ":"
	}
	return append(wrap(what, " ", textWidth), wrap(where, " ", textWidth)...)
}

// wrap breaks a text into lines that are no longer than width, at gaps where possible.
func wrap(text, gap string, width int) []string {
	var lines []string
	for rest := []rune(text); len(rest) > 0; {
		line := string(rest)
		if len(rest) > width {
			line = string(rest[:min(len(rest), width+len(gap))])
			end := strings.LastIndex(line, gap)
			if end <= 0 {
				end = strings.LastIndexByte(line, ' ')
			}
			if end <= 0 {
				end = len(string(rest[:width]))
			}
			line = line[:end]
		}
		lines = append(lines, line)
		rest = []rune(strings.TrimSpace(string(rest)[len(line):]))
	}
	return lines
}
