package term

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// headline is the title or, over a list, why its chosen entry was refused.
func (p *Panel) headline() string {
	title := words.Head(&p.view, !p.Watches)
	if len(p.view.Choices.All()) > 0 {
		return cmp.Or(p.view.Text.Refused, title)
	}
	return title
}

// inASCII replaces the runes of the help that are not ASCII.
var inASCII = strings.NewReplacer("← → ↑ ↓", "arrows", "← →", "left right", "↑ ↓", "up down", "←", "left", "→", "right", "↑", "up", "↓", "down")

// help returns the two lines about the keys.
func (p *Panel) help() [2]string {
	help := p.view.Text.Help
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
		return fit(room, paragraph{0, about}, paragraph{1, words.Because(v)}, paragraph{2, list})
	case game.Looking:
		lost, better, both := strings.Cut(words.Blame(v), ". ")
		wrong, right := paragraph{5, lost}, paragraph{4, better}
		if both {
			wrong.text += "."
		}
		if v.Look.Variation == game.Improvement { // it shows what would have been better
			right.rank = 6
		}
		signs := ""
		if over {
			signs = w.signs
		}
		move := tell(words.Move(v.Board(), v.Computer))
		return fit(room, paragraph{0, about}, paragraph{3, move}, wrong, right, paragraph{2, words.Next(v)}, paragraph{1, signs})
	}
	moves := v.Game.String()
	if moves != "" {
		moves = "moves\n" + moves
	}
	return fit(room, paragraph{1, about}, paragraph{2, tell(note)}, paragraph{3, tell(words.Happened(v))}, paragraph{0, moves})
}

// paragraph is a text beside the picture, which may be empty. Of paragraphs for which there is no room, those with
// the lowest rank are left out.
type paragraph struct {
	rank int
	text string
}

// fit breaks paragraphs into lines, with blank lines between them as far as there is room.
func fit(room int, all ...paragraph) (lines []string) {
	var broken [][]string
	for _, p := range all {
		broken = append(broken, wrap(p.text, " ", textWidth))
	}
	for rank := 0; len(slices.Concat(broken...)) > room; rank++ {
		if i := slices.IndexFunc(all, func(p paragraph) bool { return p.rank == rank }); i >= 0 {
			broken[i] = nil
		}
	}
	spare := room - len(slices.Concat(broken...))
	for _, more := range broken {
		if len(lines) > 0 && len(more) > 0 && spare > 0 {
			lines = append(lines, "")
			spare--
		}
		lines = append(lines, more...)
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
