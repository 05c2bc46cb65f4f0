package game

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
)

// draw is a round that is a draw.
const draw = "121212212121343434434343565656656565777777"

func lookRecord(t *testing.T, opening int, rounds ...string) Record {
	t.Helper()
	m, g, err := board.ParseMatch(board.Standard, 2, board.FirstAlternate, 0, rounds)
	must(t, err)
	return Record{ID: "x", Match: m, Game: g, Opening: opening}
}

// at returns the number of the round that is shown, and its discs so far.
func (p *player) at() string {
	v := p.state.View(p.now)
	at := fmt.Sprintf("%d:%s", v.Look.Round, v.Game)
	if v.Look.Variation != "" {
		at += fmt.Sprintf(" %s %d", v.Look.Variation, v.Look.Step)
	}
	return at
}

// verdict returns the verdict on a disc of the first round.
func (p *player) verdict(ply int) Verdict { return p.state.screen.(*look).rounds[0].of(ply + 1) }

func replayed(t *testing.T, r Record) *player {
	t.Helper()
	p := &player{t: t, state: LookBack(r, start), now: start}
	p.step(Tick{})
	return p
}

// A replay drops the discs of every round by itself, except those of the opening, and then rests.
func TestReplay(t *testing.T) {
	p := replayed(t, lookRecord(t, 2, "1212121", "1212121", "44"))
	var seen []string
	for {
		if at := p.at(); len(seen) == 0 || seen[len(seen)-1] != at {
			seen = append(seen, at)
		}
		next, ok := p.state.Next(p.now)
		if !ok {
			break
		}
		p.after(next.Sub(p.now))
	}
	if len(seen) != 6+8+3 || seen[0] != "1:12" || seen[5] != "1:1212121" || seen[6] != "2:" || seen[16] != "3:44" {
		t.Errorf("%d pictures: %q", len(seen), seen)
	}
	if took := p.now.Sub(start); took < 10*time.Second || took > 25*time.Second {
		t.Errorf("it took %v", took)
	}
}

// All keys cross from round to round, and any key stops discs that drop by themselves.
func TestReplayKeys(t *testing.T) {
	p := replayed(t, lookRecord(t, 0, "1212121", "44"))
	var got []string
	for _, line := range strings.Split("press left,press right,press right,pause,after 800ms,pause,reviewed,press down,press right,press left,press right,press right,press left,reviewed,press up,press down,press right,press down", ",") {
		must(t, p.do(line))
		got = append(got, p.at())
	}
	want := "1: 1:1 1:12 1:12 1:121 1:121 1:121 1:1212121 2: 1:1212121 2: 2:4 2: 2: 1:1212121 2: 2:4 2:44"
	if text := strings.Join(got, " "); text != want {
		t.Errorf("is   %s\nwant %s", text, want)
	}
	p.after(time.Hour)
	if p.at() != "2:44" || p.state.Phase() != Looking {
		t.Errorf("after keys it ends by itself: %v", p.state.Phase())
	}
}

// The discs of an opening, which nobody chose, are not taken away: before them there is nothing to see.
func TestReplayOpening(t *testing.T) {
	p := replayed(t, lookRecord(t, 2, "1212121"))
	var got []string
	for _, line := range strings.Split("press right,press left,press left,press right", ",") {
		must(t, p.do(line))
		got = append(got, p.at())
	}
	if text := strings.Join(got, " "); text != "1:121 1:12 1:12 1:121" {
		t.Errorf("is %s", text)
	}
}

// On the HAT too all rounds can be seen with left and right. Up leaves from the start of any of them, and
// the eye opens the last one that has ended.
func TestLookRounds(t *testing.T) {
	r := lookRecord(t, 0, "1212121", "44")
	state, err := New(Config{Setup: Setup{Rules: board.Standard, Points: 2, First: board.FirstAlternate}, Menu: true, Forever: true, Last: r}, start)
	must(t, err)
	p := &player{t: t, state: state, now: start}
	var got []string
	for _, line := range strings.Split("press right,press right,press right,press middle,reviewed,press right,press right,press left,press left,press left,press right,press up,press up,press middle,press right,press up", ",") {
		must(t, p.do(line))
		p.after(time.Second)
		if p.state.Phase() == Looking {
			got = append(got, p.at())
		} else {
			got = append(got, "-")
		}
	}
	want := "- - - 1:1212121 1:1212121 2: 2:4 2: 1:1212121 1:121212 1:1212121 1: - 1:1212121 2: -"
	if text := strings.Join(got, " "); text != want {
		t.Errorf("is   %s\nwant %s", text, want)
	}
}

// The eye shows the round that was lost, even if its match was left before its end; a match without a
// finished round is not shown instead of an earlier one.
func TestLookAtLeft(t *testing.T) {
	for played, want := range map[string]string{"drops 1": "1:7676767", "drops 1212121,after 10s,drops 4": "1:1212121"} {
		state, err := New(Config{Setup: Setup{Rules: board.Standard, Points: 2}, Menu: true, Forever: true, Last: lookRecord(t, 0, "7676767")}, start)
		must(t, err)
		p := &player{t: t, state: state, now: start}
		for _, line := range strings.Split("press middle,"+played+",press up,press up,press middle,press right,press right,press right,press right,press middle", ",") {
			must(t, p.do(line))
			p.after(time.Second)
		}
		if p.at() != want {
			t.Errorf("after %s the eye shows %s, want %s", played, p.at(), want)
		}
	}
}

// At a disc with a mark, down plays what follows, then what would have been better, and then
// goes on. The cells that matter are green; the disc is dim, and so are those of a variation. The way back is up.
func TestVariations(t *testing.T) {
	p := replayed(t, lookRecord(t, 0, "4151326"))
	for _, tt := range []struct{ do, at, row string }{ // row is the bottom row of the board
		{"judge 6 -18 -18 0 0 0 0 0 0 0 remark=missed-block why=6:", "1:", ""}, // has a mark although the outcome stays
		{"judge 4 0 -18 0 0 0 0 0 0 0 why=326:2161 better=3:31", "1:", ""},
		{"reviewed", "1:", ""},
		{"press down", "1:4151", "YWORRWO."},
		{"after 900ms", "1:4151", "YWORRWO."},
		{"press down", "1:4151 why 0", "YWORRWO."},
		{"after 600ms", "1:4151 why 0", "YWORRWO."},
		{"after 600ms", "1:4151 why 1", "YWrRRWO."},
		{"press left", "1:4151 why 0", ""},
		{"press left", "1:4151", "YWORRWO."}, // left of its first disc the variation ends
		{"press down", "1:4151 why 0", ""},
		{"press down", "1:4151 better 0", "YOWRROO."},
		{"press right", "1:4151 better 1", ""},
		{"press right", "1:4151 better 1", ""},
		{"after 250ms", "1:4151 better 1", "YOyRROO."},
		{"after 500ms", "1:4151 better 1", "YOyRROO."},
		{"press down", "1:415132", ""},
		{"press up", "1:4151", ""},
		{"press down", "1:4151 why 0", ""},
		{"back", "1:4151", ""},
		{"press down", "1:4151 why 0", ""},
		{"press up", "1:4151", ""},
		{"press down", "1:4151 why 0", ""},
		{"after 2200ms", "1:4151 why 3", ""},
		{"pause", "1:4151 why 3", ""},
		{"after 1m", "1:4151 why 3", ""},
		{"pause", "1:4151 why 0", ""}, // at its end it begins again
		{"after 1m", "1:4151 why 3", "yyRRRRo."},
		{"press down", "1:4151 better 0", ""},
	} {
		must(t, p.do(tt.do))
		rows := strings.Split(strings.TrimSpace(p.frame()), "\n")
		if p.at() != tt.at || tt.row != "" && rows[7] != tt.row {
			t.Fatalf("after %q at %q, want %q and %s:\n%s", tt.do, p.at(), tt.at, tt.row, p.frame())
		}
	}
}

// The player who would win in a cell that a hint blocks is the other one.
func TestBlockedCell(t *testing.T) {
	p := newPlayer(t, scriptConfig(t, "opening=121212"))
	p.step(Hint)
	p.step(Answered{ID: p.state.lastID, Advice: Advice{Exact: true, Why: Why{Kind: Blocks, Cells: 1 << (board.MaxSide + 3), Line: "2"}}})
	p.after(cellsAfter)
	if got := p.state.View(p.now).Frame[cell(1, 3)]; got != LEDYellow {
		t.Errorf("red's hint shows where yellow would win as %c", got.Letter())
	}
}

// When somebody looks back again at the same match and verdicts are missing, all are asked for. If the
// last review ended early, none are asked for.
func TestReviewOnce(t *testing.T) {
	c := scriptConfig(t, "attract forever")
	c.Last = lookRecord(t, 0, "1212121")
	p := newPlayer(t, c)
	reviews := func() (games []string) {
		for _, e := range p.effects {
			if r, ok := e.(Question); ok && r.Kind == Review {
				games = append(games, r.Game.String())
			}
		}
		p.effects = nil
		return games
	}
	press := func(keys ...Key) {
		for _, k := range keys {
			p.after(300 * time.Millisecond)
			p.step(Press{Key: k})
		}
	}
	press(Left, Left, Left, Left, Middle)
	for ply := 6; ply >= 4; ply-- {
		p.step(Answered{ID: p.state.lastID, More: true, Ply: ply, Verdict: Verdict{Known: true}})
	}
	first := reviews()
	p.step(Back)
	press(Middle)
	second := reviews()
	stale := p.state.lastID
	for ply := 3; ply >= 0; ply-- {
		p.step(Answered{ID: p.state.lastID, More: true, Ply: ply, Verdict: Verdict{Known: true, Decided: ply == 2}})
	}
	if lost := p.state.View(p.now).Look.Lost; lost != 3 {
		t.Errorf("disc 3 lost the round, not %d", lost)
	}
	if !p.verdict(4).Known {
		t.Error("a verdict has changed another one")
	}
	p.step(Answered{ID: p.state.lastID, Failed: true})
	p.step(Back)
	press(Middle, Left, Right)
	p.step(Answered{ID: stale, More: true, Ply: 0, Verdict: Verdict{Known: true, Before: 1}})
	if v := p.verdict(0); v.Before != 0 {
		t.Error("a verdict of a review that ended was taken")
	}
	if fmt.Sprint(first, second, reviews()) != "[1212121] [1212121] []" {
		t.Errorf("reviews of %q, %q, %q", first, second, reviews())
	}
}

// Verdicts are kept until somebody looks back again, also if a round that has not ended follows.
func TestReviewKept(t *testing.T) {
	c := scriptConfig(t, "attract forever")
	c.Last = lookRecord(t, 0, "1212121", "44")
	p := newPlayer(t, c)
	for _, line := range strings.Split("press left,press left,press left,press left,press middle,judge 1 1 1,back,press middle", ",") {
		p.after(time.Second)
		must(t, p.do(line))
	}
	if p.at() != "1:1212121" || !p.verdict(0).Known {
		t.Errorf("at %s, %+v", p.at(), p.verdict(0))
	}
}

// A match with lines of another length than four is shown without scores, and no review is asked for.
func TestLookBackElsewhere(t *testing.T) {
	m, g, err := board.ParseMatch(board.Rules{Columns: 5, Rows: 5, Connect: 5}, 1, board.FirstRed, 0, []string{"121212121"})
	must(t, err)
	p := replayed(t, Record{ID: "x", Match: m, Game: g})
	p.step(Press{Key: Right})
	for _, e := range p.effects {
		if q, ok := e.(Question); ok && q.Kind == Review {
			t.Error("a review of 5x5 connect 5")
		}
	}
	if v := p.state.View(p.now); v.Look.Exact || strings.Contains(p.frame(), "l") {
		t.Errorf("shown as judged:\n%s", p.frame())
	}
}

// A replay waits at a disc with a mark, so that people can read why.
func TestReplayMarks(t *testing.T) {
	p := replayed(t, lookRecord(t, 0, "1212121"))
	if err := p.do("judge 6 1 -18"); err != nil {
		t.Fatal(err)
	}
	shown := map[string]time.Duration{}
	for next, ok := p.state.Next(p.now); ok; next, ok = p.state.Next(p.now) {
		shown[p.at()] += next.Sub(p.now)
		p.after(next.Sub(p.now))
	}
	if shown["1:12121"] != lookEvery || shown["1:121212"] != lookMark {
		t.Errorf("the discs were shown for %v", shown)
	}
}

// The discs of a variation take 8 s at most. If there are too many to name each, it hurries, until a key stops it.
func TestLongVariation(t *testing.T) {
	for discs, want := range map[int]time.Duration{2: lookEvery + lookEvery, 39: lookEvery + 38*(lookAside/39)} {
		p := replayed(t, lookRecord(t, 0, draw[:3]))
		for _, line := range []string{"judge 3 1 -1 why=" + draw[3:3+discs] + ":", "reviewed", "press down", "press down"} {
			must(t, p.do(line))
		}
		began, hurried := p.now, 0
		for p.state.screen.(*look).at.step < discs {
			if v := p.state.View(p.now); v.Look.Hurries() {
				hurried++
			}
			next, ok := p.state.Next(p.now)
			if !ok {
				t.Fatalf("it stays at %s", p.at())
			}
			p.after(next.Sub(p.now))
		}
		if took := p.now.Sub(began); took != want || hurried > 0 != (discs > 11) {
			t.Errorf("%d discs took %v, want %v, and hurried in %d pictures", discs, took, want, hurried)
		}
		must(t, p.do("press left"))
		if v := p.state.View(p.now); v.Look.Hurries() || v.Look.Step != discs-1 {
			t.Errorf("after a key %+v", v.Look)
		}
	}
}

// A line stays marked at the end of a round that another follows, as at a match's end, and at the end of a
// variation on a full board, where nothing but the line is bright.
func TestLineStays(t *testing.T) {
	p := replayed(t, lookRecord(t, 0, "1212121", "4"))
	for p.at() != "1:1212121" {
		p.after(lookEvery)
	}
	began := p.now
	for p.at() == "1:1212121" {
		p.after(10 * time.Millisecond)
	}
	if took := p.now.Sub(began); took < lookEnd {
		t.Errorf("the round's end was shown for %v", took)
	}

	const full = "555753451726256216311116243424462433737776"
	p = replayed(t, lookRecord(t, 0, full[:38]))
	for _, line := range []string{"judge 38 1 -1 why=" + full[38:] + ":", "reviewed", "press down", "press down", "after 5s"} {
		must(t, p.do(line))
	}
	if got := strings.Trim(p.frame(), ".\n"); p.state.screen.(*look).at.step != 4 || got != `rrYYYYr.
yryryYy.
rrryrYr.
yyryrYr.
rrryyry.
rryrryy` {
		t.Errorf("at %s:\n%s", p.at(), p.frame())
	}
}
