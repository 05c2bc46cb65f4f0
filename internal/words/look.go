package words

import (
	"fmt"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

var look = screen{title: lookTitle, event: lookEvent, keys: lookKeys, help: lookHelp}

func lookTitle(v *game.View) string { // a small window has no room for the round and a variation
	disc := fmt.Sprintf("disc %d of %d", v.Game.Position().Ply(), v.Look.Discs)
	switch {
	case v.Look.Variation == game.Refutation:
		return aside("what follows", v)
	case v.Look.Variation == game.Improvement:
		return aside("better than", v)
	case v.Look.Rounds > 1:
		return fmt.Sprintf("round %d of %d, %s", v.Look.Round, v.Look.Rounds, disc)
	}
	return disc
}

// aside says how much of a variation is shown: "what follows disc 6: column 4, then 3 more discs", then "... 1 of 4".
func aside(what string, v *game.View) string {
	line, shown := len(v.Look.Why().Line), ""
	if v.Look.Step > 0 {
		shown = fmt.Sprintf("%d of %d", v.Look.Step, line)
	} else if shown = Columns([]int{v.Look.Why().Column()}); line > 1 {
		shown += ", then " + count(line-1, "more disc")
	}
	return fmt.Sprintf("%s disc %d: %s", what, v.Game.Position().Ply(), shown)
}

func lookEvent(v *game.View) string { return looked(v, Move(v.Board(), v.Computer)) }

// looked describes what is shown while somebody looks back at a match. text announces its last disc.
func looked(v *game.View, text string) string {
	g := v.Board()
	why := Blame(v)
	switch line := Line(g.Position(), board.Empty); {
	case v.Look.Variation != "" && (v.Look.Step == 0 || v.Look.Hurries()):
		begins := *v
		begins.Look.Step = 0
		return lookTitle(&begins)
	case v.Look.Variation != "" && line != "":
		text += ". " + Sentence(line)
		if v.Look.Long() {
			text = "the variation ends: " + text
		}
	case v.Look.Variation != "":
	case text == "":
		return fmt.Sprintf("round %d, before the first disc", v.Look.Round)
	case why != "":
		text += ". " + why
	}
	if v.Look.Lost > 0 && v.Look.Variation == "" && g.Position().Ply() == v.Look.Discs && why == "" {
		loser := g.Starter()
		if v.Look.Lost%2 == 0 {
			loser = loser.Other()
		}
		text = fmt.Sprintf("%s. %s %s with disc %d", text, Sentence(g.Position().Rules().Name(loser)), lost, v.Look.Lost)
	}
	return text
}

// Blame is [Remark] for the last disc that is shown while somebody looks back.
func Blame(v *game.View) string {
	g := v.Game
	_ = g.Undo() // before the first disc there is no verdict either
	return Remark(g.Position(), v.Look.Last, Discs([]int{g.Position().Ply()}))
}

// Next says how the round that somebody looks back at ends with perfect play. It is empty at the end
// of the round, and where [Blame] says it.
func Next(v *game.View) string {
	position := v.Game.Position()
	switch next := v.Look.Next; {
	case position.Ply() == v.Look.Discs, v.Look.Variation != "", v.Look.Last.Changed():
		return ""
	case !v.Look.Exact:
		return "only four in a line is judged"
	case !next.Known:
		return "outcome unknown"
	default:
		return Ends(position, int(next.Before), "can")
	}
}

func lookKeys(v *game.View) string {
	if v.Look.Last.Why.Line+v.Look.Last.Better.Line != "" {
		return "down shows what follows, then what would have been better; up goes back"
	}
	return "left and right step through the discs, up and down find mistakes, a press plays the round, up held for a second leaves"
}

func lookHelp(v *game.View) [2]string {
	keys := "← → step  ↑ ↓ mistakes"
	switch {
	case v.Look.Variation != "":
		keys = "← → step  ↑ back  ↓ goes on"
	case v.Look.Last.Why.Line+v.Look.Last.Better.Line != "":
		keys = "↓ shows why  ↑ back  ← → step"
	}
	return [2]string{keys, "space plays  Esc back  q quit"}
}
