package game

// pause is the screen of a match that is paused: icons, one at a time.
type pause struct {
	plain
	choice choice
}

// choice is an icon on the pause screen.
type choice int

const (
	choiceResume choice = iota
	choiceUndo
	choiceHint
	choiceEnd
	choiceRead // only while somebody listens: nobody else would notice what it does
	choices
)

var choiceNames = [choices]string{EntryResume, "undo", "hint", "end", "read"}

func (*pause) phase() Phase { return Paused }

func (g *Game) pause() { g.open(new(pause)) }

func (s *pause) idles(*Game) screen { return s }

func (*pause) entries(g *Game) int {
	if g.voices == 0 {
		return int(choiceRead)
	}
	return int(choices)
}

// chosen returns the choice; that to read goes with the last voice.
func (s *pause) chosen(g *Game) choice {
	if int(s.choice) >= s.entries(g) {
		return choiceResume
	}
	return s.choice
}

func (s *pause) press(g *Game, in input) {
	s.choice = s.chosen(g)
	entries := s.entries(g)
	if dir, ok := in.sideways(); ok {
		g.hold(in.key)
		s.choice = choice(wrap(int(s.choice), dir, entries, in.held))
		g.refused.hidden = true
		return
	}
	switch in.key {
	case Up:
		if s.choice == choiceEnd {
			g.turn()
		} else {
			s.choice = choiceEnd
			g.refused.hidden = true
		}
	case Down, Middle:
		s.choose(g)
	case Undo:
		g.undo()
	case Hint:
		g.hint()
	case Pause, Back:
		g.turn()
	}
	if i, chosen, ok := g.listed(in, entries); ok {
		if s.choice = choice(i); chosen {
			s.choose(g)
		}
	}
}

func (s *pause) choose(g *Game) {
	switch s.choice {
	case choiceResume:
		g.turn()
	case choiceUndo:
		g.undo()
	case choiceHint:
		g.hint()
	case choiceRead:
		read := new(reading)
		g.open(read)
		read.read(g, g.cursor, 0)
	case choiceEnd:
		g.leaveMatch()
	}
}

func (s *pause) view(g *Game, v *View) {
	v.Choices.set("pause", choiceNames[:s.entries(g)], int(s.chosen(g)))
}

func (s *pause) draw(g *Game, p *picture) {
	if _, dark := g.refused.shows(p); !dark {
		pauseSheet.draw(&p.Frame, int(s.chosen(g)))
		drawEdges(&p.Frame, true, true)
	}
}

// pauseSheet has an arrow, an arrow back, a question mark, a cross and a loudspeaker, one for each
// [choice].
var pauseSheet = sheet{
	"........ ...Y.... ..LLLL.. RR....RR ....L...",
	".WW..... ..YY.... .LL..LL. RRR..RRR ...LL.Y.",
	".WWWW... .YYYYY.. .....LL. .RRRRRR. .LLLL...",
	".WWWWW.. ..YY..Y. ....LL.. ..RRRR.. .LLLL.Y.",
	".WWWWW.. ...Y..Y. ...LL... ..RRRR.. .LLLL.Y.",
	".WWWW... ......Y. ...LL... .RRRRRR. .LLLL...",
	".WW..... .....Y.. ........ RRR..RRR ...LL.Y.",
	"........ .YYYY... ...LL... RR....RR ....L...",
}
