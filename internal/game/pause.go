package game

// pause is the screen of a match that is paused: icons, one at a time.
type pause struct {
	plain
	item int
}

// Items of the pause screen.
const (
	itemEnd  = 3
	itemRead = 4 // the last one, only while somebody listens: nobody else would notice what it does
)

var pauseItems = [...]struct {
	name string
	do   func(*Game)
}{
	{EntryResume, (*Game).turn}, {"undo", (*Game).undo}, {"hint", (*Game).hint},
	itemEnd: {"end", (*Game).leaveMatch}, itemRead: {"read", (*Game).read},
}

func (s *pause) choices(g *Game) Choices {
	c := Choices{Page: "pause"}
	for i, item := range pauseItems {
		if i != itemRead || g.voices > 0 {
			c.Names[i] = item.name
		}
	}
	s.item %= len(c.All()) // the item to read goes with the last voice
	c.Chosen = s.item
	return c
}

func (s *pause) press(g *Game, in input) {
	item, takes, ok := g.list(in, s.choices(g))
	if ok {
		s.item = item
	}
	switch {
	case takes && ok, in.key == Down, in.key == Middle:
		pauseItems[s.item].do(g)
	case in.key == Up && s.item != itemEnd:
		s.item = itemEnd
		g.refused.hidden = true
	case in.pauses:
		g.turn()
	case in.key == Undo:
		g.undo()
	case in.key == Hint:
		g.hint()
	}
}

func (s *pause) show(g *Game, p *picture) {
	p.Phase, p.Choices = Paused, s.choices(g)
	if _, dark := g.refused.shows(p); !dark {
		pauseSheet.draw(&p.Frame, s.item)
		drawEdges(&p.Frame, true, true)
	}
}

// pauseSheet has an arrow, an arrow back, a question mark, a cross and a loudspeaker, one for each item.
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
