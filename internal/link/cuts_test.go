package link

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
)

var cuts = flag.Int("cuts", 300, "how often TestCuts breaks something")

// At random moments the line is cut or delivers nothing for a while, or a service, ssh, the link or
// all of them are killed. The match continues with the same discs on both machines, no disc is
// dropped twice or lost, and no seat stays locked.
func TestCuts(t *testing.T) {
	first, runs := rand.Uint64(), uint64(*cuts/20)
	if testing.Short() {
		runs = min(runs, 5)
	}
	for seed := range runs {
		t.Run(fmt.Sprint(first+seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPair(t)
				defer p.end()
				b := breaker{pair: p, rng: rand.New(rand.NewPCG(first+seed, 0)), did: map[string]int{}}
				b.run()
			})
		})
	}
}

// breaker breaks parts of a pair, and keeps track of the state that the match must have.
type breaker struct {
	*pair
	rng *rand.Rand
	did map[string]int

	position
	before  position   // before the last disc
	mover   board.Disc // who dropped the last disc
	risked  bool       // the last disc may be lost: its service was killed, perhaps while it fell
	expects []string   // the rounds of each match that was won
	dropped int
}

// position is a state of the match.
type position struct {
	match board.Match
	game  board.Game
	discs string // columns of all discs
}

func (b *breaker) run() {
	b.a.slow, b.b.slow = b.upTo(400*time.Millisecond), b.upTo(400*time.Millisecond)
	b.linked(func(m *game.Start) { m.Setup.Points = 1 })
	b.follows()
	for range 3 {
		b.drops()
	}
	for range 20 {
		for range b.rng.IntN(3) {
			b.drops()
		}
		time.Sleep(b.upTo(600 * time.Millisecond))
		b.breaks()
		if b.rng.IntN(3) > 0 { // otherwise break something again at once
			b.settle()
		}
	}
	b.settle()
	b.t.Logf("%v; %d discs, %d matches, %d lines", b.did, b.dropped, len(b.expects), b.lines)
	for _, m := range []*machine{b.a, b.b} {
		var won []string
		for e := range m.matches(0) {
			if e.Final().Winner() != board.Empty {
				won = append(won, strings.Join(e.Rounds(), "/"))
			}
		}
		if !slices.Equal(won, b.expects) {
			b.t.Errorf("the history is %q, want %q", won, b.expects)
		}
	}
}

func (b *breaker) upTo(d time.Duration) time.Duration { return time.Duration(b.rng.Int64N(int64(d))) }

func (b *breaker) machine(d board.Disc) *machine { return []*machine{b.a, b.b}[d-board.Red] }

// follows starts to keep track of a new match.
func (b *breaker) follows() {
	b.t.Helper()
	b.taken()
	m := b.a.latest(b.t).Match
	match, err := board.NewMatch(m.Rules(), m.Target(), m.First(), m.Seed())
	must(b.t, err)
	b.position, b.risked = position{match: match, game: match.NewGame()}, false
}

func (b *breaker) over() bool { return b.match.Winner() != board.Empty }

// drops drops a disc by hand for the side to move, even while the line is broken.
func (b *breaker) drops() {
	b.t.Helper()
	if b.over() || b.risked {
		b.settle()
	}
	b.until("a turn after "+b.discs, b.tryDrop)
}

// tryDrop drops a disc, unless the side to move has not seen all earlier discs yet.
func (b *breaker) tryDrop() bool {
	b.t.Helper()
	now := b.game.Position()
	m := b.machine(now.Turn())
	if v := m.latest(b.t); b.over() || b.risked || v.Phase != game.Aim || strings.Join(v.Rounds(), "") != b.discs {
		return false
	}
	legal := slices.Collect(now.LegalMoves())
	col := legal[b.rng.IntN(len(legal))]
	after, err := m.game.Do(b.t.Context(), game.Disc{Col: col, Number: len(b.discs) + 1}, game.Source{})
	if err != nil || after.Discs() != len(b.discs)+1 {
		return false
	}
	b.before, b.mover = b.position, now.Turn()
	must(b.t, b.game.Play(col))
	b.discs += strconv.Itoa(col + 1)
	b.dropped++
	if now = b.game.Position(); now.Outcome() != board.Playing {
		if b.match, _ = b.match.Record(b.game); !b.over() {
			b.game = b.match.NewGame()
		}
	}
	return true
}

// settle waits until both machines have all discs of the match, and the link has both seats. If
// the match is over, settle starts another one.
func (b *breaker) settle() {
	b.t.Helper()
	var since time.Time
	b.until("the match "+b.discs, func() bool {
		v, w := b.a.latest(b.t), b.b.latest(b.t)
		if b.over() && !v.UnderWay && !w.UnderWay {
			return true
		}
		moves := strings.Join(v.Rounds(), "")
		if v.Phase != game.Aim || w.Phase != game.Aim || v.Seats[1].State != game.Taken || w.Seats[0].State != game.Taken || strings.Join(w.Rounds(), "") != moves {
			since = time.Time{}
			return false
		}
		if b.risked && moves == b.before.discs {
			if since.IsZero() {
				since = time.Now()
			}
			if time.Since(since) > 3*time.Second { // earlier, the disc may still be on its way back
				b.position = b.before
				b.did["a disc was lost in mid-air"]++
			}
		}
		return !b.over() && moves == b.discs
	})
	b.risked = false
	if !b.over() {
		return
	}
	b.expects = append(b.expects, strings.Join(b.match.Games(), "/"))
	m := b.machine(board.Red + board.Disc(b.rng.IntN(2)))
	b.shows(m, "the menu", func(v game.View) bool { return v.Phase == game.Menu || v.Phase == game.Attract })
	m.press(b.t, setup(func(s *game.Start) { s.Setup.Points, s.Setup.First = 1, board.FirstAlternate }))
	b.follows()
}

// breaks breaks one part at random.
func (b *breaker) breaks() {
	b.t.Helper()
	hold := func(most time.Duration) {
		b.hold()
		held := b.upTo(most)
		time.Sleep(held / 2)
		b.tryDrop()
		time.Sleep(held / 2)
	}
	unlink := func() {
		if b.over() { // a new link that finds no match would start one
			b.settle()
		}
		b.pair.kill()
		b.stop(errQuit)
		_ = b.link.Wait()
	}
	relink := func() {
		b.until("a new link", func() bool { return b.begin(setup(func(s *game.Start) { s.Setup.Points = 1 })) == nil })
	}
	did := "the link killed"
	switch n := b.rng.IntN(20); {
	case n < 6:
		did = "cut"
		b.cut()
	case n < 10:
		did = "held"
		hold(20 * time.Second)
		b.release()
	case n < 12: // what was sent before the cut arrives when the next connection is open
		did = "held, cut and delivered late"
		hold(time.Second)
		b.cut()
		time.Sleep(b.upTo(time.Second))
		b.release()
	case n < 14:
		did = "the service there killed"
		b.kills(b.b)
	case n < 16:
		did = "the service here killed"
		b.kills(b.a)
	case n < 17:
		did = "everything there killed"
		b.hold()
		b.cut()
		b.kills(b.b)
		b.release()
	case n < 18 && len(b.discs) > 1: // with the first disc, the match may be lost here, and a new link refuses the one there
		did = "everything here killed"
		unlink()
		b.kills(b.a)
		relink()
	default:
		unlink()
		relink()
	}
	b.did[did]++
}

// kills kills a service and restarts it. The link then repeats discs that the service lacks. A disc
// that was dropped on this machine and was falling comes back only if the other machine has
// received it.
func (b *breaker) kills(m *machine) {
	b.t.Helper()
	m.kill()
	b.risked = b.risked || m == b.machine(max(b.mover, board.Red))
	time.Sleep(b.upTo(800 * time.Millisecond))
	m.start(b.t)
}

// If somebody changes the match by hand while the line is broken, the link says so and ends; it
// changes neither match.
func TestByHand(t *testing.T) {
	for says, change := range map[string]func(*testing.T, *machine){
		"was dropped by hand":  func(t *testing.T, m *machine) { m.drop(t, 0) },
		"taken back by hand":   func(t *testing.T, m *machine) { m.press(t, game.Undo); m.press(t, game.Undo) },
		"disc 2 is in column ": func(t *testing.T, m *machine) { m.press(t, game.Undo); m.drop(t, 0) },
	} {
		t.Run(says, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPair(t)
				defer p.end()
				p.linked(nil)
				p.a.drop(t, 3)
				p.both("4")
				p.b.drop(t, 3)
				p.both("44")
				p.refuse(true)
				p.cut()
				p.b.kill() // a restart of the service opens the seat, so that somebody can change the match
				p.b.start(t)
				change(t, p.b)
				time.Sleep(time.Second)
				a, b := p.a.latest(t).Record, p.b.latest(t).Record
				p.refuse(false)
				if err := p.link.Wait(); err == nil || !strings.Contains(err.Error(), says) {
					t.Error(err)
				}
				if p.a.latest(t).Record != a || p.b.latest(t).Record != b {
					t.Error("a match was changed: " + p.state())
				}
			})
		})
	}
}

// A match ends on one machine while the line is broken, and that machine's service restarts. When
// the line is back, the match ends on the other machine too.
func TestFinished(t *testing.T) {
	for _, tt := range []struct {
		name, moves, last string // without a last disc the match is ended without a winner
		winner            board.Disc
	}{
		{"won here", "121314", "1", board.Red},
		{"won there", "1212323", "2", board.Yellow},
		{"ended there", "1212323", "", board.Empty},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPair(t)
				defer p.end()
				p.linked(func(m *game.Start) { m.Setup.Points = 1 })
				for i := range tt.moves {
					[]*machine{p.a, p.b}[i%2].drop(t, int(tt.moves[i]-'1'))
					p.both(tt.moves[:i+1])
				}
				p.refuse(true)
				p.cut()
				m := []*machine{p.a, p.b}[len(tt.moves)%2]
				if tt.last != "" {
					m.drop(t, int(tt.last[0]-'1'))
				} else {
					m.press(t, game.End{})
				}
				p.shows(m, "the end", func(v game.View) bool { return !v.UnderWay })
				m.kill()
				m.start(t)
				p.refuse(false)
				p.until("the end of both", func() bool { return strings.Contains(p.state(), "start a match on either HAT") })
				for _, m := range []*machine{p.a, p.b} {
					n := 0
					for e := range m.matches(0) {
						if n++; n > 1 || strings.Join(e.Rounds(), "/") != tt.moves+tt.last || e.Final().Winner() != tt.winner {
							t.Errorf("the history has %v", e)
						}
					}
					if n != 1 {
						t.Errorf("the history has %d matches", n)
					}
				}
			})
		})
	}
}

// A machine whose slow disk has saved nothing of a match comes back without it, and the match goes on there
// with the discs that the other machine has.
func TestNothingSaved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t)
		defer p.end()
		p.b.slow = time.Hour
		p.linked(nil)
		p.a.drop(t, 3)
		p.both("4")
		p.b.kill()
		p.b.slow = 0
		p.b.start(t)
		p.both("4")
		p.taken()
	})
}

// A match whose first round is over cannot be started on the other machine. If it is resumed in the menu
// of one, the link says so and waits.
func TestResumesLaterRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t)
		defer p.end()
		p.a.press(t, setup(nil))
		for _, c := range "1212121" {
			p.a.drop(t, int(c-'1'))
		}
		p.shows(p.a, "the second round", func(v game.View) bool { return v.Phase == game.Aim && v.Match.Played() == 1 })
		p.a.key(t, game.Up, game.Up, game.Middle) // its players leave it
		p.linked(nil)
		p.a.press(t, game.End{}) // before the first disc, so the older match is kept
		p.shows(p.b, "the menu", func(v game.View) bool { return !v.UnderWay })
		p.a.key(t, game.Middle)
		p.until("the message", func() bool {
			return strings.Contains(p.state(), "a match is under way here (7x6, two players: red 1, yellow 0): end it")
		})
		if !p.a.latest(t).UnderWay || p.b.latest(t).UnderWay {
			t.Error(p.state())
		}
	})
}

// A link that cannot start says why, and changes neither match.
func TestRefused(t *testing.T) {
	for _, tt := range []struct {
		what       string
		here       func(*game.Start)
		hereMoves  string
		there      func(*game.Start) // nil: no match
		thereMoves string
		says       string
	}{
		{"other discs", nil, "4", func(*game.Start) {}, "3", "disc 1 is in column 4 in one match and in column 3 in the other"},
		{"another board", nil, "4", func(m *game.Start) { m.Setup.Rules = board.FullMatrix }, "", "7x6 and 8x8 are different games"},
		{"other points", nil, "4", func(m *game.Start) { m.Setup.Points = 3 }, "", "first to 3 points"},
		{"other starters", nil, "4", func(m *game.Start) { m.Setup.First = board.FirstYellow }, "", "begin differently"},
		{"the computer", nil, "4", func(m *game.Start) { m.Setup.Computer, m.Setup.Level = board.Yellow, 1 }, "", "the match on b is against the computer"},
		{"a match here", nil, "4", nil, "", "a match is under way here (7x6, two players: red 0, yellow 0): end it, or replace it with --force"},
		{"another version there", nil, "", nil, "9.9.9", "here is c4hat 1.2.3, on b 9.9.9: install the same version on both"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPair(t)
				defer p.end()
				if p.b.version = "1.2.9"; strings.Contains(tt.thereMoves, ".") { // a patch may differ
					p.b.version, tt.thereMoves = tt.thereMoves, ""
				}
				p.a.press(t, setup(tt.here))
				for _, c := range tt.hereMoves {
					p.a.drop(t, int(c-'1'))
				}
				if tt.there != nil {
					p.b.press(t, setup(tt.there))
				}
				for _, c := range tt.thereMoves {
					p.b.drop(t, int(c-'1'))
				}
				time.Sleep(time.Second)
				a, b := p.a.latest(t), p.b.latest(t)
				if err := p.begin(setup(nil)); err == nil || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("%v, want %q", err, tt.says)
				}
				if a2, b2 := p.a.latest(t), p.b.latest(t); a2.Record != a.Record || b2.Record != b.Record || a2.Seats != a.Seats || b2.Seats != b.Seats {
					t.Error("a match was changed")
				}
			})
		})
	}
}

// A link continues the match that both machines have, whatever its flags say, and --force replaces
// it. Who starts at random starts on both.
func TestForce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPair(t)
		defer p.end()
		p.a.press(t, setup(nil))
		p.a.drop(t, 2)
		p.b.press(t, setup(nil))
		p.b.drop(t, 2)
		time.Sleep(time.Second)
		p.b.drop(t, 3)
		p.linked(func(m *game.Start) { m.Setup.First = board.FirstLoser })
		p.both("34")
		p.quit()
		p.linked(func(m *game.Start) {
			m.Force, m.Setup = true, match.Setup{Rules: board.FullMatrix, Points: 1, First: board.FirstRandom}
		})
		if v, w := p.a.latest(t).Match, p.b.latest(t).Match; !w.Rules().FillsMatrix() || v.Starter() != w.Starter() {
			t.Errorf("%v and %v", v, w)
		}
		if p.lines != 2 {
			t.Errorf("%d lines", p.lines)
		}
	})
}
