package analysis

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/game"
)

// careless plays a game of two people who often overlook a line that they or the other could complete.
func careless(r *rand.Rand, rules board.Rules, first board.Disc) board.Game {
	g, _ := board.NewGame(rules, first)
	for g.Position().Outcome() == board.Playing {
		wins, blocks, _ := near(g.Position())
		col := (r.IntN(rules.Columns) + r.IntN(rules.Columns)) / 2
		switch {
		case len(wins) > 0 && r.IntN(5) > 0:
			col = wins[0]
		case len(blocks) > 0 && r.IntN(4) > 0:
			col = blocks[0]
		}
		_ = g.Play(col)
	}
	return g
}

// Every sentence about careless games is true, by plain arrays and exact scores. None is missing about a line
// that was missed or not blocked. At most six sentences suffice for nine games in ten, and nine losers in ten
// read a reason that people can see.
func TestStories(t *testing.T) {
	if testing.Short() {
		t.Skip("proves what is said of 14 games")
	}
	r := rand.New(rand.NewPCG(61, 1))
	for i, rules := range []board.Rules{board.Standard, board.FullMatrix} {
		games := *games / (1 + 4*i)
		a, j := New(solver.Options{Nodes: 2_000_000}), newProver(rules)
		long, lost, seen := 0, 0, 0
		for range games {
			g := careless(r, rules, board.Red)
			report, err := a.Report(context.Background(), g, 0, nil)
			must(t, err)
			clear(j.scores)
			l := listener{prover: j, moves: g.String(), report: report, told: map[int]bool{}}
			story := report.remarks()
			if strings.Count(strings.Join(story, ""), ".") > 6 {
				long++
			}
			if l.check(t, story); g.Position().Outcome() != board.Draw {
				lost++
				if l.seen {
					seen++
				}
			}
		}
		t.Logf("%v: %d games, %d with more than six sentences, %d of %d losers read a reason that people can see", rules, games, long, seen, lost)
		if long > games/10+1 || seen < lost*9/10 {
			t.Error("too many sentences, or too few reasons")
		}
	}
}

// listener doubts every sentence about a game.
type listener struct {
	*prover
	moves  string
	report Report
	told   map[int]bool // the plies of discs whose missed line or missed block was told of
	seen   bool         // a reason that people can see was given
}

func (l *listener) check(t *testing.T, story []string) {
	t.Helper()
	hear := func(text string) {
		if text != "" && !l.text(text) {
			t.Errorf("%v, %s: false: %s", l.Rules, l.moves, text)
		}
	}
	for _, d := range l.report.Discs {
		if hear(d.Story()); d.Known && d.Ply >= 16 { // earlier scores take long
			l.judged(t, d)
		}
	}
	l.told, l.seen = map[int]bool{}, false
	for _, text := range story {
		hear(text)
	}
	for ply, c := range l.moves {
		l.set(l.moves[:ply])
		mine, theirs, col := l.now(l.turn()), l.now(3-l.turn()), int(c-'1')
		missed := len(mine) > 0 && !slices.Contains(mine, col) || len(mine) == 0 && len(theirs) > 0 && !slices.Contains(theirs, col)
		if missed && !l.told[ply] {
			t.Errorf("%v, %s: nothing about disc %d", l.Rules, l.moves, ply+1)
		}
	}
}

// judged checks what a disc of which the scores are known was worth, and whether it has a mark.
func (l *listener) judged(t *testing.T, d Disc) {
	t.Helper()
	before, after := int8(l.scoreAt(d.Ply)), int8(-l.scoreAt(d.Ply+1))
	if changed := sign(before) != sign(after); d.Before != before || d.After != after || d.Changed() != changed || (d.Mark() != "") != changed {
		t.Errorf("%s: disc %d is %+v, want %d, %d", l.moves, d.Ply+1, d, before, after)
	}
	for col := range d.before.LegalMoves() {
		score := int8(-l.score(l.moves[:d.Ply] + strconv.Itoa(col+1)))
		best, holds := score == before, sign(score) == sign(before) && (before > 0 || score == before)
		if sign(d.Worth[col]) != sign(score) || slices.Contains(d.Best(), col) != best || slices.Contains(d.Holding(d.before), col) != holds {
			t.Errorf("%s: disc %d, column %d: %+v, want %d", l.moves, d.Ply+1, col+1, d, score)
		}
	}
}

var (
	subject = regexp.MustCompile(`^Discs? ([\d, and]+?)(?: in column (\d))?(?: (lost the game|made the game a draw|gave (\w+)'s (win|draw) away))?: (.*)$`)
	unseens = regexp.MustCompile(`^Discs? ([\d, and]+) changed the outcome, for reasons that only a perfect player sees$`)
	missed  = regexp.MustCompile(`, but (\w+) missed the chance$`)
)

// text reports whether what was said of one disc or of several is true.
func (l *listener) text(text string) bool {
	first, better, two := strings.Cut(strings.TrimSuffix(text, "."), ". ")
	if m := unseens.FindStringSubmatch(first); m != nil {
		return !two && !slices.ContainsFunc(numbersIn(m[1]), func(ply int) bool { return !l.changed(ply) })
	}
	next := missed.FindStringSubmatch(first)
	m := subject.FindStringSubmatch(missed.ReplaceAllString(first, ""))
	if m == nil || two && m[3] == "" {
		return false
	}
	for _, ply := range numbersIn(m[1]) {
		before, after := sign(int8(l.scoreAt(ply))), sign(int8(-l.scoreAt(ply+1)))
		decided := true
		for later := ply + 1; later < len(l.moves) && m[3] != ""; later++ {
			decided = decided && !l.changed(later)
		}
		is := fmt.Sprint(m[3], before, after)
		switch {
		case m[2] != "" && m[2] != l.moves[ply:ply+1], !l.body(m[6], ply), two && !l.better(strings.ToLower(better[:1])+better[1:], ply),
			m[4] != "" && m[4] != l.name(ply), m[3] != "" && (m[4] != "") == decided,
			m[4] != "" && (before <= after || m[5] != [...]string{"draw", "win"}[before]),
			m[3] == "lost the game" && (before < 0 || after >= 0), m[3] == "made the game a draw" && is != m[3]+"1 0":
			return false
		}
	}
	if next != nil {
		given := numbersIn(m[1])
		ply := given[0] + 1
		l.set(l.moves[:ply])
		if len(given) != 1 || next[1] != l.name(ply) || l.report.Discs[ply].Known && !l.changed(ply) && len(l.now(l.turn())) == 0 {
			return false
		}
		l.told[ply] = true
	}
	return true
}

func (l *listener) changed(ply int) bool {
	return sign(int8(l.scoreAt(ply))) > sign(int8(-l.scoreAt(ply+1)))
}

// scoreAt returns the score before the disc of a ply for its player. Nothing is said of an unknown disc that needs
// one.
func (l *listener) scoreAt(ply int) int {
	if d := l.report.Discs; ply < len(d) && !d[ply].Known {
		return 0
	}
	return l.score(l.moves[:ply])
}

// worth returns the score of a column for the disc of a ply, and with how many discs its player wins.
func (l *listener) worth(ply, col int) (score, discs int) {
	score = -l.score(l.moves[:ply] + strconv.Itoa(col+1))
	for discs = 1; score > 0 && l.won(ply+2*discs-1) != score; discs++ {
	}
	return score, discs
}

func (l *listener) name(ply int) string { return l.Rules.Name(board.Red + board.Disc(ply%2)) }

// numbersIn returns the numbers in a text, from 0.
func numbersIn(text string) (numbers []int) {
	for _, digits := range regexp.MustCompile(`\d+`).FindAllString(text, -1) {
		n, _ := strconv.Atoi(digits)
		numbers = append(numbers, n-1)
	}
	return numbers
}

// cellsIn returns the cells that a text names, on the board as it is: "columns 1 and 4", "column 3, rows 2 and 3".
func (l *listener) cellsIn(text string) (cells [][2]int) {
	for _, part := range regexp.MustCompile(`,? ?and column`).Split(text, -1) {
		columns, rows, ok := strings.Cut(part, ", row")
		for _, col := range numbersIn(columns) {
			if !ok {
				cells = append(cells, [2]int{col, l.height[col]})
			}
			for _, row := range numbersIn(rows) {
				cells = append(cells, [2]int{col, row})
			}
		}
	}
	return cells
}

var sentence = regexp.MustCompile(`^(?:(?P<me>\w+) missed four in a row at (?P<four>.+)` +
	`|(?P<me>\w+) had to block (?P<block>.+)` +
	`|(?P<other>\w+) had (?:two|three|four) threats, at (?P<cornered>.+), and (?P<me>\w+) could block only one` +
	`|(?P<me>\w+) went under (?P<other>\w+)'s winning cell, (?P<under>.+)` +
	`|(?P<other>\w+) could then get two threats, at (?P<later>.+), even against the best defence` +
	`|(?P<other>\w+) could then get two threats, at (?P<threats>.+)` +
	`|(?P<other>\w+)'s winning cells?, (?P<zugzwang>.+), decides? once the other columns are full` +
	`|(?P<other>\w+) could force a win(?:, though only)? in (?P<discs>\d+) discs)$`)

// body reports whether what was said of a disc is true of that of a ply.
func (l *listener) body(text string, ply int) bool {
	m, is := sentence.FindStringSubmatch(text), map[string]string{}
	if m == nil {
		return l.better(text, ply)
	}
	for i, name := range sentence.SubexpNames() {
		if m[i] != "" {
			is[name] = m[i]
		}
	}
	if me, other := l.name(ply), l.name(ply+1); is["me"] != "" && is["me"] != me || is["other"] != "" && is["other"] != other {
		return false
	}
	l.set(l.moves[:ply])
	me, col, d := l.turn(), int(l.moves[ply]-'1'), l.report.Discs[ply]
	mine, theirs := l.now(me), l.now(3-me)
	line := is["four"] != "" || is["block"] != "" || is["cornered"] != ""
	l.told[ply] = l.told[ply] || line
	l.seen = l.seen || line || is["under"]+is["threats"]+is["zugzwang"] != ""
	switch {
	case is["four"] != "":
		return l.all(l.cellsIn(is["four"]), me) && len(numbersIn(is["four"])) == len(mine) && !slices.Contains(mine, col)
	case is["block"] != "":
		return l.all(l.cellsIn(is["block"]), 3-me) && len(mine) == 0 && len(theirs) == 1 && len(numbersIn(is["block"])) == 1 && theirs[0] != col
	case is["cornered"] != "":
		for c := range l.Columns {
			if l.free(c) {
				l.drop(c)
				stopped := len(l.now(3-me)) == 0
				if l.lift(c); stopped {
					return false
				}
			}
		}
		cells := l.cellsIn(is["cornered"])
		return len(mine) == 0 && len(cells) > 1 && !slices.ContainsFunc(cells, func(c [2]int) bool { return !l.wins(c[0], c[1], 3-me) })
	case is["under"] != "":
		cells := l.cellsIn(is["under"])
		return len(mine)+len(theirs) == 0 && len(cells) == 1 && cells[0] == [2]int{col, l.height[col] + 1} && l.wins(cells[0][0], cells[0][1], 3-me)
	case is["discs"] != "":
		l.drop(col)
		score, discs := l.scoreAt(ply+1), 1
		for l.won(ply+2*discs) != score {
			if discs++; discs > 40 {
				return false
			}
		}
		return strconv.Itoa(discs) == is["discs"]
	}
	l.drop(col)
	for kind, named := range map[game.Kind]string{game.Threats: is["threats"], game.Later: is["later"], game.Zugzwang: is["zugzwang"]} {
		if named != "" && !l.proved(d.Why, kind, named, 3-me, l.moves[:ply+1], -int(d.After)) {
			return false
		}
	}
	return true
}

// proved reports whether a player's reason is of the kind and the cells that were named, which are winning cells
// on the board as it is, and holds after the moves.
func (l *listener) proved(w game.Why, kind game.Kind, named string, player int, moves string, score int) bool {
	cells := l.cellsIn(named)
	if kind == game.Zugzwang && slices.ContainsFunc(cells, func(c [2]int) bool { return !l.wins(c[0], c[1], player) }) {
		return false
	}
	return w.Kind == kind && slices.Equal(columnsOf(cells), columnsOf(w.Cells.All(0))) && l.prove(moves, w, score) == nil
}

func columnsOf(cells [][2]int) (columns []int) {
	for _, c := range cells {
		columns = append(columns, c[0])
	}
	return columns
}

var instead = regexp.MustCompile(`^(only |any other )?columns? ?([\d, or]*) would have (?P<keep>won|kept the draw)` +
	`(?:, because (?P<me>\w+)'s winning cells?, (?P<zugzwang>.+), decides? once the other columns are full` +
	`| with two threats, at (?P<later>.+), even against the best defence| with two threats, at (?P<threats>.+)|,? in (?P<discs>\d+) discs|,? (?P<once>at once))?$`)

// better reports whether what was said of other columns than that of a ply's disc is true.
func (l *listener) better(text string, ply int) bool {
	m, is, d := instead.FindStringSubmatch(text), map[string]string{}, l.report.Discs[ply]
	if m == nil {
		return false
	}
	for i, name := range instead.SubexpNames() {
		is[name] += m[i]
	}
	if is["once"] != "" {
		is["discs"] = "1"
	}
	columns := numbersIn(m[2])
	for col := range l.Columns {
		if l.set(l.moves[:ply]); !l.free(col) {
			continue
		}
		score, discs := l.worth(ply, col)
		if named := slices.Contains(columns, col) || m[1] == "any other " && col != d.Column; !named {
			if m[1] != "" && sign(int8(score)) >= sign(d.Before) {
				return false
			}
		} else if sign(int8(score)) != sign(d.Before) || is["keep"] != "" && (is["keep"] == "won") != (score > 0) || is["discs"] != "" && strconv.Itoa(discs) != is["discs"] {
			return false
		}
	}
	for kind, cells := range map[game.Kind]string{game.Threats: is["threats"], game.Later: is["later"], game.Zugzwang: is["zugzwang"]} {
		if cells == "" {
			continue
		}
		l.seen = l.seen || kind != game.Later
		l.set(l.moves[:ply])
		if is["me"] != "" && is["me"] != l.name(ply) || len(columns) != 1 || columns[0] != d.Better.Column() || !l.proved(d.Better, kind, cells, l.turn(), l.moves[:ply], int(d.Before)) {
			return false
		}
	}
	return true
}

// Sentences that were missing or false once.
func TestStory(t *testing.T) {
	a := New(solver.Options{Nodes: 500_000})
	for _, tt := range []struct {
		rules       board.Rules
		moves, want string
	}{
		{board.Standard, "71454526232244377133361", "Disc 16 in column 7: yellow had to block column 1, but red missed the chance."},
		{board.Standard, "455464343642552553322147363211", "Disc 9 in column 3: red had to block column 4, but yellow missed the chance."},
		{board.FullMatrix, "2525525447686155667483784477252584331", "Disc 36 in column 3: red had two threats, at columns 1 and 3, and blue could block only one."},
		{board.FullMatrix, "5458451611753633383333228426", "Disc 27 in column 2: blue had two threats, at columns 2 and 6, and red could block only one."},
		{board.Standard, "257333336443652647455", "Disc 18 in column 7 lost the game: red could then get two threats, at columns 4 and 5. Only column 4 would have won, in 10 discs."},
		{board.Standard, "5517172237123447", "Disc 13 in column 3 gave red's win away: red missed four in a row at columns 1 and 4."},
		{board.Standard, "52525546144345441637233", "Disc 10 in column 4 lost the game: red could force a win, though only in 15 discs. Column 2 or 5 would have kept the draw."},
		{board.FullMatrix, "414554444351475542325353233533116666666", "Disc 21 in column 5 gave red's win away: blue could then get two threats, at columns 1 and 3, but blue missed the chance."},
		{board.Standard, "4544454554533533633166676622222277", "Disc 27 in column 2 lost the game: yellow could force a win in 4 discs. Column 1 would have won with two threats, at column 2, rows 2 and 3, even against the best defence."},
		{board.Standard, "463352744443465525512323", "Disc 3 changed the outcome, for reasons that only a perfect player sees."},
		{board.Standard, "3422626252", "Disc 9 in column 5: red had to block column 2."},
	} {
		r, err := a.Report(t.Context(), parse(t, tt.rules, tt.moves), 0, nil)
		must(t, err)
		if story := r.remarks(); !slices.Contains(story, tt.want) {
			t.Errorf("%s: no %q in\n%s", tt.moves, tt.want, strings.Join(story, "\n"))
		}
	}
}

// A hint gives no reason where no column is better than another.
func TestNoReason(t *testing.T) {
	s := solver.New(solver.Options{})
	for _, moves := range []string{"131475", "121212212121343434434343565656656565", "121212212121343434434343565656656565777"} {
		p := parse(t, board.Standard, moves).Position()
		a, err := s.Analyse(t.Context(), p)
		must(t, err)
		if w := Why(t.Context(), s, p, a, a.Best[0]); w.Kind != game.Distance {
			t.Errorf("%s: %+v", moves, w)
		}
	}
}
