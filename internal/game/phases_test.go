package game

import (
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/golden"
)

// The table of the phases in doc/game.md has exactly the changes that occur, which random play finds with every
// relevant configuration.
func TestPhaseTable(t *testing.T) {
	found := map[string]bool{}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, words := range []string{
		"points=1", "points=2 idle=20s", "points=1 board=3x2 opening=1", "points=1 idle=20s computer=yellow level=1",
		"points=2 computer=red level=1 board=3x2", "points=2 first=loser computer=red level=1",
		"attract forever points=1 idle=70s", "menu points=1", "menu points=2", "menu points=3", "waits points=1 idle=2s board=4x4 opening=1212", "waits points=2 idle=2s board=3x2", "waits forever points=1 board=3x2", "waits forever points=1 board=3x2 computer=red level=1", "attract forever points=1 idle=20s computer=red level=1 board=4x4",
	} {
		c := scriptConfig(t, words)
		if strings.Contains(words, "board") {
			c.Rules.Connect = 3
		}
		for range 300 {
			c.Seed = rng.Uint64()
			explore(t, c, rng, found)
		}
	}
	for _, won := range []bool{false, true} { // with a saved match
		c := scriptConfig(t, "points=1")
		g, err := board.ParseGame(c.Rules, board.Red, map[bool]string{false: "12", true: "1212121"}[won])
		must(t, err)
		m, err := board.NewMatch(c.Rules, c.Points, c.First, 0)
		must(t, err)
		for _, computer := range []board.Disc{board.Empty, board.Red} {
			s, err := Resume(c, Record{ID: "kept", Match: m, Game: g, Computer: computer, Level: 1}, start)
			must(t, err)
			found["*the start* to "+string(s.Phase())] = true
		}
	}

	const page, head = "../../doc/game.md", "| from | to |\n|---|---|\n"
	doc, err := os.ReadFile(page)
	must(t, err)
	before, after, _ := strings.Cut(string(doc), head)
	_, after, _ = strings.Cut(after, "\n\n")
	rows, table := map[string][]string{}, head
	for _, change := range slices.Sorted(maps.Keys(found)) {
		from, to, _ := strings.Cut(change, " to ")
		rows[from] = append(rows[from], to)
	}
	for _, from := range slices.Sorted(maps.Keys(rows)) {
		table += "| " + from + " | " + strings.Join(rows[from], ", ") + " |\n"
	}
	golden.Check(t, page, before+table+"\n"+after)
}

// explore plays a game with random input from a HAT or a terminal and random pauses, and
// records the transitions between phases.
func explore(t *testing.T, c Config, rng *rand.Rand, found map[string]bool) {
	p := newPlayer(t, c)
	last := "*the start*"
	note := func() {
		if now := string(p.state.Phase()); now != last {
			found[last+" to "+now], last = true, now
		}
	}
	note()
	step := func(ev Event) {
		p.step(ev)
		note()
	}
	p.answer = func(q Question) (a Answered) {
		note()
		switch q.Kind {
		case Think:
			a.Failed = true
		case Review:
			a.More, a.Ply = true, q.Game.Position().Ply()-1
			a.Verdict = Verdict{Known: true, Before: int8(rng.IntN(3) - 1)}
		case Compose:
			a.Puzzle = somePuzzle(rng.IntN(4))
		}
		return a
	}
	step(Voice{})
	quiet := 0 // steps without a key
	for i := 0; i < 400 && p.state.Phase() != Over; i++ {
		later := p.now.Add(time.Duration(rng.IntN(2000)) * time.Millisecond)
		if next, ok := p.state.Next(p.now); ok && (next.Before(later) || rng.IntN(4) == 0) {
			later = next // so that each step has one transition
		}
		p.now = later
		step(Tick{})
		if quiet--; quiet >= 0 {
			continue
		}
		if rng.IntN(80) == 0 {
			quiet = 60
		}
		switch n := rng.IntN(10); {
		case n < 3:
		case n < 7:
			step(Press{Key: Key(1 + rng.IntN(5))})
		case n == 7 && c.Attract && rng.IntN(3) == 0: // programs take the seats
			p.programsSit()
		case n == 7 && c.Forever && rng.IntN(3) == 0:
			step(Admit{1 + rng.IntN(9)})
		case n <= 8:
			p.from = senders[pick(rng, "red", "yellow", "")]
			step(Column{rng.IntN(7)})
			p.from = Source{}
		default:
			step(pick[Event](rng, Undo, Hint, Pause, Back, Less, More, Select{rng.IntN(8)}, Choose{rng.IntN(8)}, Choose{5}, Choose{5}, OpenLook, OpenLook, OpenLook))
		}
	}
}

// somePuzzle returns a puzzle, or an invalid one if n is 0.
func somePuzzle(n int) (p Puzzle) {
	switch n {
	case 0:
	case 1:
		p.Game, _ = board.ParseGame(board.Standard, board.Red, "112233")
		p.Discs, p.Line[0] = 1, 3
	default:
		p.Game, _ = board.ParseGame(board.Standard, board.Red, "5642226654172514665262155111434")
		p.Discs, p.Line = 2, [maxLine]uint8{3, 6, 6}
	}
	return p
}
