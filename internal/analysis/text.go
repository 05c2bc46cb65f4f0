package analysis

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/words"
)

// Table writes a line for each disc.
func (r Report) Table(out io.Writer) error {
	w := bufio.NewWriter(out)
	if len(r.Discs) > 0 {
		fmt.Fprintf(w, "  disc  player  column  %-17s %-17s best\n", "before", "after")
	}
	rules := r.Game.Position().Rules()
	for _, d := range r.Discs {
		mark := ' '
		if d.Sooner {
			mark = '+'
		} else if d.Changed() {
			mark = '*'
		}
		if !d.Known {
			fmt.Fprintf(w, "%c %4d  %-6s  %6d  %s\n", mark, d.Ply+1, rules.Name(d.Player), d.Column+1, "unknown")
			continue
		}
		fmt.Fprintf(w, "%c %4d  %-6s  %6d  %-17s %-17s %s\n", mark, d.Ply+1, rules.Name(d.Player), d.Column+1,
			words.Briefly(d.before, int(d.Before)), words.Briefly(d.before, int(d.After)), strings.Trim(fmt.Sprint(fromOne(d.Best())), "[]"))
	}
	return w.Flush()
}

// Summary says how the game ended, why discs have a mark, how many of each player's discs kept the
// score. Of a game that no disc decided, it says that nobody could have played better.
func (r Report) Summary() []string {
	position := r.Game.Position()
	rules, outcome := position.Rules(), position.Outcome()
	result := words.Finished(position)
	if r.Fault != "" {
		result = words.ByFault(r.Fault)
	}
	if len(r.Discs) == 0 {
		if outcome == board.Playing && r.Fault == "" {
			result = "the game has no discs to judge"
		}
		return []string{result}
	}
	last := r.Discs[len(r.Discs)-1]
	if outcome == board.Playing && last.Known {
		result += "; " + words.Unfinished(position, -int(last.After))
	}
	texts := []string{result}
	if n := unknown(r.Discs); n > 0 {
		texts = append(texts, words.UnknownUpTo(r.Discs[n-1].Ply))
	}
	switch changed := slices.ContainsFunc(r.Discs, func(d Disc) bool { return d.Changed() }); {
	case changed:
	case r.Discs[0].Known:
		texts = append(texts, words.Unchanged)
		if outcome != board.Playing {
			texts = append(texts, words.Undecided(position))
		}
	case last.Known:
		texts = append(texts, words.LaterUnchanged)
	}
	for _, d := range r.Discs {
		if d.Marked() {
			texts = append(texts, d.Story())
		}
	}
	for _, player := range [2]board.Disc{board.Red, board.Yellow} {
		if t := r.Tally(player); t.Discs > 0 {
			texts = append(texts, words.KeptTimes(rules.Name(player), t.Kept, t.Discs))
		}
	}
	return texts
}

// unknown returns the number of unknown discs, which are the first.
func unknown(discs []Disc) (n int) {
	for n < len(discs) && !discs[n].Known {
		n++
	}
	return n
}
