package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/store"
)

var (
	cuts  = flag.Int("cuts", 6, "how often TestLinkCuts breaks something")
	holds = flag.Duration("holds", 1500*time.Millisecond, "the longest time for which TestLinkCuts delays packets")
)

// At random moments the line is cut or delivers nothing for a while, or a service, ssh, the link or
// all of them are killed. The match continues with the same discs on both machines, no disc is
// dropped twice or lost, and no seat stays locked.
func TestLinkCuts(t *testing.T) {
	t.Parallel()
	t.Run("cable", func(t *testing.T) {
		t.Parallel()
		p, _ := newPair(t)
		p.cuts(t)
	})
	t.Run("ssh", func(t *testing.T) {
		t.Parallel()
		p, _ := newSSHPair(t)
		p.cuts(t)
	})
}

// breaker breaks parts of a pair, and keeps track of the state that the match must have.
type breaker struct {
	*pair
	rng *rand.Rand
	did map[string]int

	position
	before  position   // before the last disc
	mover   board.Disc // who dropped the last disc
	fresh   bool       // the link was restarted: until it has connected once, a failure ends it
	risked  bool       // the last disc may be lost: its service was killed, perhaps while it fell
	expects []string   // the rounds of each match that was won
	dropped int
	longest time.Duration // from the end of a break until the match continues on both
}

// position is a state of the match.
type position struct {
	match board.Match
	game  board.Game
	discs string // columns of all discs
}

func (p *pair) cuts(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	b := breaker{pair: p, rng: rand.New(rand.NewPCG(seed, 0)), did: map[string]int{}}
	p.linked(t, "--points", "1")
	b.begin(t)
	for range 3 {
		b.drop(t)
	}
	for range *cuts {
		for range b.rng.IntN(3) {
			b.drop(t)
		}
		time.Sleep(b.upTo(300 * time.Millisecond))
		b.breaks(t)
		ended := time.Now()
		if b.fresh || b.rng.IntN(3) > 0 { // otherwise break something again at once
			b.settle(t)
			b.longest = max(b.longest, time.Since(ended))
		}
	}
	b.settle(t)
	lines, bytes := p.count()
	t.Logf("%d breaks: %v; %d discs, %d matches, %d lines, %d bytes, %v until both played again at most",
		*cuts, b.did, b.dropped, len(b.expects), lines, bytes, b.longest.Round(time.Millisecond))
	_ = p.link.Process.Signal(syscall.SIGTERM)
	_ = p.link.Wait()
	p.noProcess(t)
	p.a.stop(t)
	p.b.stop(t)
	for _, d := range []*running{p.a, p.b} {
		if got := finished(t, d); !slices.Equal(got, b.expects) {
			t.Errorf("the history is %q, want %q", got, b.expects)
		}
	}
	p.noBlame(t)
}

func (b *breaker) upTo(d time.Duration) time.Duration { return time.Duration(b.rng.Int64N(int64(d))) }

// begin starts to keep track of a new match.
func (b *breaker) begin(t testing.TB) {
	t.Helper()
	b.taken(t)
	m := b.a.latest().Match
	match, err := board.NewMatch(m.Rules(), m.Target(), m.First(), m.Seed())
	if err != nil {
		t.Fatal(err)
	}
	b.position, b.risked = position{match: match, game: match.NewGame()}, false
}

// play records a disc that was dropped.
func (b *breaker) play(t testing.TB, col int) {
	t.Helper()
	now := b.game.Position()
	b.before, b.mover, b.risked = b.position, now.Turn(), false
	if err := b.game.Play(col); err != nil {
		t.Fatal(err)
	}
	b.discs += strconv.Itoa(col + 1)
	b.dropped++
	if now = b.game.Position(); now.Outcome() == board.Playing {
		return
	}
	b.match, _ = b.match.Record(b.game)
	if !b.over() {
		b.game = b.match.NewGame()
	}
}

func (b *breaker) over() bool { return b.match.Winner() != board.Empty }

// drop drops a disc by hand for the side to move, even while the line is broken.
func (b *breaker) drop(t testing.TB) {
	t.Helper()
	if b.over() || b.risked {
		b.settle(t)
	}
	within(t, regained, func() bool { return b.tryDrop(t) },
		func() string { return fmt.Sprintf("nobody can drop a disc after %s: %s", b.discs, b.state()) })
}

// tryDrop drops a disc, unless the side to move has not seen all earlier discs yet.
func (b *breaker) tryDrop(t testing.TB) bool {
	t.Helper()
	now := b.game.Position()
	d := []*running{b.a, b.b}[now.Turn()-board.Red]
	if v := d.latest(); b.over() || b.risked || v.Phase != game.Aim || strings.Join(v.Rounds(), "") != b.discs {
		return false
	}
	legal := slices.Collect(now.LegalMoves())
	col := legal[b.rng.IntN(len(legal))]
	after, err := d.client.Do(t.Context(), game.Disc{Col: col, Number: len(b.discs) + 1})
	if err != nil || after.Discs() != len(b.discs)+1 {
		return false
	}
	b.play(t, col)
	return true
}

// settle waits until both machines have all discs of the match, and the link has both seats. If
// the match is over, settle starts another one.
func (b *breaker) settle(t testing.TB) {
	t.Helper()
	var since time.Time
	within(t, regained, func() bool {
		v, w := b.a.latest(), b.b.latest()
		if b.fresh && !strings.Contains(b.link.errs.String(), "linked with") {
			return false
		}
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
	}, func() string { return fmt.Sprintf("the match must be %s: %s", b.discs, b.state()) })
	b.risked = false
	if !b.over() {
		return
	}
	b.expects = append(b.expects, strings.Join(b.match.Games(), "/"))
	d := []*running{b.a, b.b}[b.rng.IntN(2)]
	d.until(t, "the menu", func(v game.View) bool { return v.Phase == game.Menu || v.Phase == game.Attract })
	if _, err := d.client.Start(t.Context(), api.MatchRequest{Points: 1, First: "alternate"}); err != nil {
		t.Fatal(err)
	}
	b.begin(t)
}

// breaks breaks one part at random.
func (b *breaker) breaks(t testing.TB) {
	t.Helper()
	hold := func(most time.Duration) {
		b.hold()
		held := b.upTo(most)
		time.Sleep(held / 2)
		b.tryDrop(t)
		time.Sleep(held / 2)
	}
	b.fresh = false
	unlink := func() {
		if b.over() { // a new link that finds no match would start one
			b.settle(t)
		}
		_ = b.link.Process.Kill()
		_ = b.link.Wait()
	}
	relink := func() {
		b.link = b.command(t)
		b.link.begin(t)
		b.fresh = true
	}
	did := "the link killed"
	switch n := b.rng.IntN(20); {
	case n < 4:
		did = "ssh killed"
		b.killAll(func(args string) bool { return strings.Contains(args, " -T -o Compression=yes ") })
	case n < 6:
		did = "cut"
		b.cut()
	case n < 10:
		did = "held"
		hold(*holds)
		b.release()
	case n < 12: // what was sent before the cut arrives when the next connection is open
		did = "held, cut and delivered late"
		hold(300 * time.Millisecond)
		b.cut()
		time.Sleep(b.upTo(time.Second))
		b.release()
	case n < 14:
		did = "the service there killed"
		b.kill(t, b.b)
	case n < 16:
		did = "the service here killed"
		b.kill(t, b.a)
	case n < 17:
		did = "everything there killed"
		b.hold()
		b.cut()
		b.killAll(b.thereRuns)
		b.kill(t, b.b)
		b.release()
	case n < 18:
		did = "everything here killed"
		unlink()
		b.kill(t, b.a)
		relink()
	default:
		unlink()
		relink()
	}
	b.did[did]++
}

// killAll kills the processes of the pair for whose arguments ok returns true.
func (p *pair) killAll(ok func(args string) bool) {
	for pid, args := range p.processes() {
		if ok(args) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// kill kills a service and restarts it. The link then repeats discs that the service lacks. A disc
// that was dropped on this machine and was falling comes back only if the other machine has
// received it.
func (b *breaker) kill(t testing.TB, d *running) {
	t.Helper()
	d.kill(t)
	b.risked = b.risked || d == []*running{b.a, b.b}[max(b.mover, board.Red)-board.Red]
	time.Sleep(b.upTo(800 * time.Millisecond))
	d.start(t)
}

// finished returns the rounds of the matches in a service's history that were won.
func finished(t testing.TB, d *running) (all []string) {
	t.Helper()
	for _, e := range pastOf(t, d) {
		if e.Final().Winner() != board.Empty {
			all = append(all, strings.Join(e.Rounds(), "/"))
		}
	}
	return all
}

// pastOf returns the history of a service.
func pastOf(t testing.TB, d *running) (all []match.Finished) {
	t.Helper()
	for e, err := range store.History(d.state) {
		if err != nil {
			t.Error(err)
		}
		all = append(all, e)
	}
	return all
}
