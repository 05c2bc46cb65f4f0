package board

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// oneLine checks that an error is one short line, however long the input was.
func oneLine(t *testing.T, err error) {
	t.Helper()
	if text := err.Error(); strings.ContainsAny(text, "\n\r\x1b") || len(text) > 350 {
		t.Fatalf("not one short line: %.300q", text)
	}
}

// FuzzParseGame checks that a game is read up to the first illegal move, which the error names, and the
// position agrees with the naive rules.
func FuzzParseGame(f *testing.F) {
	for _, moves := range []string{"", "4453", "48", "49", "0", "44x", "4 4", "4é", "4\xff", "٤", "1111111", "1212121", "12121213", strings.Repeat("1", 1<<20)} {
		f.Add(uint8(7), uint8(6), uint8(4), true, moves)
	}
	f.Add(uint8(8), uint8(8), uint8(4), false, "88888888")
	f.Add(uint8(1), uint8(1), uint8(2), false, "11")
	f.Fuzz(func(t *testing.T, columns, rows, connect uint8, yellow bool, moves string) {
		first := Red
		if yellow {
			first = Yellow
		}
		r := Rules{int(columns), int(rows), int(connect)}
		g, err := ParseGame(r, first, moves)
		if r.Check() != nil {
			if !errors.Is(err, ErrRules) {
				t.Fatalf("%+v: %v, want an ErrRules", r, err)
			}
			return
		}
		n := &naive{rules: r, turn: first}
		var want *MoveError
		for i, c := range []rune(moves) {
			switch col := int(c - '1'); {
			case c < '0' || c > '9':
				want = &MoveError{i + 1, c, ErrNotation}
			case col < 0 || col >= r.Columns:
				want = &MoveError{i + 1, c, ErrNoColumn}
			case n.outcome() != Playing:
				want = &MoveError{i + 1, c, ErrGameOver}
			case n.height(col) == r.Rows:
				want = &MoveError{i + 1, c, ErrColumnFull}
			default:
				n.drop(col)
			}
			if want != nil {
				break
			}
		}
		var got *MoveError
		if errors.As(err, &got) != (want != nil) || want != nil && *got != *want {
			t.Fatalf("%q on %v: %v, want %v", moves, r, err, want)
		}
		if err != nil {
			oneLine(t, err)
		}
		p := g.Position()
		if played := g.String(); played != moves[:n.ply] {
			t.Fatalf("%q: played %q", moves, played)
		}
		checkAgainstNaive(t, p, n)
		if again, err := ParseGame(r, first, g.String()); err != nil || again != g {
			t.Fatalf("%q does not read back: %v", g.String(), err)
		}
	})
}

// FuzzParseMatch checks that a match that is read has the points, starters and games of one that is played
// game by game.
func FuzzParseMatch(f *testing.F) {
	f.Fuzz(func(t *testing.T, columns, rows, connect, points, first uint8, seed uint64, text string) {
		r := Rules{int(columns), int(rows), int(connect)}
		rounds := strings.Split(text, ",")
		m, g, err := ParseMatch(r, int(points), First(first), seed, rounds)
		if err != nil {
			oneLine(t, err)
			return
		}
		if written := append(m.Games(), g.String()); !slices.Equal(written, rounds) {
			t.Fatalf("%q came back as %q", rounds, written)
		}
		won := map[Disc]int{}
		for i, moves := range rounds[:len(rounds)-1] {
			before, round, err := ParseMatch(r, int(points), First(first), seed, rounds[:i+1])
			if err != nil || round.String() != moves || before.Winner() != Empty {
				t.Fatalf("the first %d of %q: %v, won by %v", i+1, rounds, err, before.Winner())
			}
			n := &naive{rules: r, turn: before.Starter()}
			for _, c := range moves {
				n.drop(int(c - '1'))
			}
			if n.outcome() == Playing {
				t.Fatalf("round %d of %q is not over", i+1, rounds)
			}
			won[n.outcome().Winner()]++
		}
		if m.Points(Red) != won[Red] || m.Points(Yellow) != won[Yellow] || m.Played() != len(rounds)-1 || g.Starter() != m.Starter() {
			t.Fatalf("%q: %d and %d points, want %v", rounds, m.Points(Red), m.Points(Yellow), won)
		}
		if again, game, err := ParseMatch(r, int(points), m.First(), m.Seed(), rounds); err != nil || again != m || game != g {
			t.Fatalf("%q does not read back: %v", rounds, err)
		}
	})
}

// FuzzParseNames checks that a size and a starter are accepted only in the form in which they are
// printed.
func FuzzParseNames(f *testing.F) {
	f.Fuzz(func(t *testing.T, text string) {
		columns, rows, err := ParseSize(text)
		size := fmt.Sprintf("%dx%d", columns, rows)
		switch {
		case err != nil:
			oneLine(t, err)
		case strings.ToLower(text) != size || Rules.Check(Rules{columns, rows, 2}) != nil:
			t.Fatalf("%q is %s", text, size)
		}
		first, err := ParseFirst(text)
		switch {
		case err != nil:
			oneLine(t, err)
		case first.String() != text:
			t.Fatalf("%q is %v", text, first)
		}
	})
}
