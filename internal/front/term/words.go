package term

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// headline is the title or, over a list, why its chosen entry was refused.
func (p *Panel) headline() string {
	title := words.Head(&p.view, !p.Watches)
	if len(p.view.Choices.All()) > 0 {
		return cmp.Or(words.Notice(p.view.Notice), title)
	}
	return title
}

// inASCII replaces the runes of the help that are not ASCII.
var inASCII = strings.NewReplacer("← → ↑ ↓", "arrows", "← →", "left right", "↑ ↓", "up down", "←", "left", "→", "right", "↑", "up", "↓", "down")

// help returns the two lines about the keys.
func (p *Panel) help() [2]string {
	help := words.Help(&p.view)
	switch {
	case p.view.Lost:
		help = [2]string{words.ServiceLost, "q quit"}
	case p.Watches:
		help = [2]string{"the match on the HAT", "q quit"}
	}
	if p.view.Fresh {
		help[0] = ""
	}
	if !p.unicode {
		help = [2]string{inASCII.Replace(help[0]), inASCII.Replace(help[1])}
	}
	return help
}

// beside returns the lines beside the picture, at most room of them. over reports that the columns' worth is shown
// above them. note is shown if nothing else has happened.
func beside(v *game.View, w worth, over bool, room int, note string) []string {
	if len(v.Choices.All()) > 0 {
		return choices(v)
	}
	if !inMatch(v) {
		return nil
	}
	about := words.About(v)
	switch v.Phase {
	case game.Hinting:
		list := ""
		if !over {
			list = advice(v, w)
		}
		return fit(room, list, words.Because(v), about)
	case game.Looking:
		wrong, right, both := strings.Cut(words.Blame(v), ". ")
		switch {
		case both && v.Look.Variation == game.Improvement: // it shows what would have been better
			wrong = ""
		case both:
			wrong += "."
		}
		return fit(room, wrong, right, tell(words.Move(v.Board(), v.Computer)), words.Next(v), about)
	}
	moves := v.Game.String()
	if moves != "" {
		moves = "moves\n" + moves
	}
	return fit(room, about, tell(words.Happened(v)), tell(note), moves)
}

// fit breaks texts into lines, with blank lines between them as far as there is room. It leaves out the texts for
// which those before them leave no room.
func fit(room int, texts ...string) (lines []string) {
	var fits [][]string
	for _, text := range texts {
		if part := wrap(text, " ", textWidth); len(part) > 0 && len(part) <= room {
			fits, room = append(fits, part), room-len(part)
		}
	}
	for _, part := range fits {
		if len(lines) > 0 && room > 0 {
			lines, room = append(lines, ""), room-1
		}
		lines = append(lines, part...)
	}
	return lines
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
	return lines
}

// advice lists what the columns are worth, two per line.
func advice(v *game.View, w worth) (list string) {
	for col, worth := range w.texts[:v.Match.Rules().Columns] {
		list += fmt.Sprintf("%d:%6s", col+1, cmp.Or(worth, "full")) + []string{"   ", "\n"}[col%2]
	}
	return strings.TrimRight(list, " \n")
}

// tell begins a new line where a text says where something happened.
func tell(text string) string { return strings.Replace(text, ": ", ":\n", 1) }

// wrap breaks a text into lines that are no longer than width, at gaps where possible.
func wrap(text, gap string, width int) (lines []string) {
	for part := range strings.SplitSeq(text, "\n") {
		for rest := []rune(part); len(rest) > 0; {
			line := string(rest)
			if len(rest) > width {
				line = string(rest[:min(len(rest), width+len(gap))])
				end := max(strings.LastIndex(line, gap), 0)
				if end == 0 {
					end = max(strings.LastIndexByte(line, ' '), 0)
				}
				line = line[:cmp.Or(end, len(string(rest[:width])))]
			}
			lines = append(lines, line)
			rest = []rune(strings.TrimSpace(string(rest)[len(line):]))
		}
	}
	return lines
}
