package link

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
)

// record returns the record of a match with the given rounds.
func record(t testing.TB, r board.Rules, points int, first board.First, rounds []string) game.Record {
	t.Helper()
	m, g, err := board.ParseMatch(r, points, first, 0, rounds)
	if err != nil {
		t.Fatal(rounds, err)
	}
	return game.Record{ID: "r", Match: m, Game: g}
}

// randomRounds plays n random discs, or fewer if the match is won. It returns the rounds, and the
// player of each disc.
func randomRounds(rng *rand.Rand, first board.First, n int) (rounds []string, players []board.Disc) {
	m, _ := board.NewMatch(board.Standard, 3, first, 0)
	g := m.NewGame()
	for len(players) < n {
		position := g.Position()
		if position.Outcome() != board.Playing {
			rounds = append(rounds, g.String())
			m, _ = m.Record(g)
			if m.Winner() != board.Empty {
				return rounds, players
			}
			g = m.NewGame()
			continue
		}
		col := rng.IntN(7)
		if position.Legal(col) {
			players = append(players, position.Turn())
			_ = g.Play(col)
		}
	}
	return append(rounds, g.String()), players
}

// cutRounds returns the rounds with only their first n discs.
func cutRounds(rounds []string, n int) (kept []string) {
	for _, r := range rounds {
		if n < len(r) {
			return append(kept, r[:n])
		}
		n -= len(r)
		kept = append(kept, r)
	}
	return kept
}

// The discs that the shorter record lacks are the rest of the longer one, with the right players.
// A disc in a different column is a contradiction.
func TestCompare(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 1))
	for range 2000 {
		first := board.First(rng.IntN(4))
		rounds, players := randomRounds(rng, first, 1+rng.IntN(80))
		all := strings.Join(rounds, "")
		n := rng.IntN(len(all) + 1)
		whole, part := record(t, board.Standard, 3, first, rounds), record(t, board.Standard, 3, first, cutRounds(rounds, n))
		a, b, shorter := whole, part, 1
		if rng.IntN(2) == 0 {
			a, b, shorter = part, whole, 0
		}
		missing, which, err := compare(a, b)
		if err != nil || len(missing) != len(all)-n || len(missing) > 0 && which != shorter {
			t.Fatalf("%q and its first %d: %v of %d, %v", rounds, n, missing, which, err)
		}
		for i, d := range missing {
			if d.col != int(all[n+i]-'1') || d.player != players[n+i] {
				t.Fatalf("%q: disc %d is %v", rounds, n+i+1, d)
			}
		}
		if n == 0 {
			continue
		}
		// Move the last disc of the shorter record to another column.
		other := cutRounds(rounds, n)
		last := &other[len(other)-1]
		if *last == "" {
			continue
		}
		changed := (*last)[:len(*last)-1] + string('1'+byte(rng.IntN(7)))
		if changed == *last {
			continue
		}
		*last = changed
		m, g, err := board.ParseMatch(board.Standard, 3, first, 0, other)
		if err != nil {
			continue
		}
		if missing, _, err := compare(whole, game.Record{ID: "x", Match: m, Game: g}); err == nil {
			t.Fatalf("%q and %q: %v", rounds, other, missing)
		}
	}
}

// A side is given the discs that it lacks only if a broken line or a power cut explains why it
// lacks them.
func TestMay(t *testing.T) {
	const red, yellow = board.Red, board.Yellow
	for _, tt := range []struct {
		name    string
		discs   string // the discs that red's side has
		seen    int
		settled int
		missing []board.Disc
		says    string
	}{
		{"the other's disc", "4", 1, 1, []board.Disc{yellow}, ""},
		{"two of the other's, around the end of a round", "4", 1, 1, []board.Disc{yellow, yellow}, ""},
		{"its own, lost in the air", "44", 3, 2, []board.Disc{red}, ""},
		{"its own, and the answer", "44", 3, 2, []board.Disc{red, yellow}, ""},
		{"its own, which it never had", "44", 2, 2, []board.Disc{red}, "disc 3, red in column 1, was dropped by hand"},
		{"both, lost by a slow disk", "4", 3, 1, []board.Disc{yellow, red}, ""},
		{"its own after the other's", "4", 2, 1, []board.Disc{yellow, red}, "disc 3, red in column 1, was dropped by hand"},
		{"taken back", "4", 3, 3, []board.Disc{yellow, red}, "taken back by hand"},
	} {
		s := side{name: "here", player: red, seen: tt.seen, settled: tt.settled}
		s.view.Record = record(t, board.Standard, 2, board.FirstRed, []string{tt.discs})
		var missing []disc
		for _, d := range tt.missing {
			missing = append(missing, disc{0, d})
		}
		err := s.may(missing)
		if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestMinor(t *testing.T) {
	for version, want := range map[string]string{"0.2.1": "0.2", "0.2": "0.2", "(devel)": "(devel)", "v0.2.0-rc1": "v0.2", "": ""} {
		if got := minor(version); got != want {
			t.Errorf("%q: %q, want %q", version, got, want)
		}
	}
}
