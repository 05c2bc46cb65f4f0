package term

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// headline is the title. Over a list it is the list's name, or why its chosen entry was refused.
func (p *Panel) headline() string {
	if len(p.view.Choices.All()) > 0 {
		return cmp.Or(p.view.Text.Refused, words.List(&p.view))
	}
	return words.Head(&p.view, !p.Watches)
}

// inASCII replaces the runes of the help that are not ASCII.
var inASCII = strings.NewReplacer("← → ↑ ↓", "arrows", "← →", "left right", "↑ ↓", "up down", "←", "left", "→", "right", "↑", "up", "↓", "down")

// beside returns the lines beside the picture, at most room of them. worth says whether they
// include a hint's scores. note is shown if nothing else has happened.
func beside(v *game.View, room int, worth bool, note string) []string {
	if len(v.Choices.All()) > 0 {
		return choices(v)
	}
	if !inMatch(v) {
		return nil
	}
	var lines []string
	for _, line := range words.About(v) {
		lines = append(lines, wrap(line, " ", textWidth)...)
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
	lines = append(lines, wrap(words.Next(v), " ", textWidth)...)
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
	if ends := words.HowEnds(v); ends != "" {
		lines = append(lines, "", ends)
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
