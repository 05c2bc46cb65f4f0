package store

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/levels"
	"github.com/c4hat/c4hat/internal/match"
)

// randomMatch returns any possible match.
func randomMatch(random *rand.Rand) match.Record {
	all := []board.Rules{board.Standard, board.FullMatrix, fourByFour, {Columns: 8, Rows: 2, Connect: 5}, {Columns: 2, Rows: 2, Connect: 2}}
	rules := all[random.IntN(len(all))]
	first := board.First(random.IntN(5))
	var seed uint64
	if first == board.FirstRandom {
		seed = random.Uint64()
	}
	m := match.Record{ID: "a-" + strconv.Itoa(random.IntN(1e6))}
	if c := board.Disc(random.IntN(3)); c != board.Empty {
		m.Computer, m.Level = c, levels.Level(1+random.IntN(levels.Count))
	}
	if side := random.IntN(4); side < 2 {
		m.Programs[side] = "./bot.py --level 3"
	}
	m.Match, _ = board.NewMatch(rules, 1+random.IntN(game.MaxPoints), first, seed)
	for {
		m.Game = randomGame(random, rules, m.Match.Starter())
		next, _ := m.Match.Record(m.Game)
		if next.Winner() != board.Empty || random.IntN(3) == 0 {
			break
		}
		m.Match = next
	}
	for range random.IntN(4) * random.IntN(10) {
		_ = m.Game.Undo()
	}
	opened := m.Game.String()
	if games := m.Match.Games(); len(games) > 0 {
		opened = games[0]
	}
	m.Opening = random.IntN(len(opened) + 1)
	return m
}

// A line of the journal has only moves: whatever else changes in a match, the file is written anew.
func TestChangeOfMoves(t *testing.T) {
	r := record(t, "a", "12")
	j, _, err := newJournal(r)
	must(t, err)
	left := r
	left.Left = true
	if _, _, ok := j.change(left); ok {
		t.Error("a match that was left is saved as one that was not")
	}
	if _, _, ok := j.change(record(t, "a", "123")); !ok {
		t.Error("a disc is not added")
	}
}

func TestRoundTrip(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		m := randomMatch(random)
		data, err := json.Marshal(m)
		must(t, err)
		var again match.Record
		if err := json.Unmarshal(data, &again); err != nil || again != m {
			t.Fatalf("%s is parsed as %v, %v", data, again, err)
		}
		e := match.Finished{Record: m, Ended: match.Credible(time.Unix(random.Int64N(1<<36), 0))}
		e.Abandoned = e.Final().Winner() == board.Empty
		if data, err = json.Marshal(e); err != nil {
			t.Fatal(err)
		}
		var ended match.Finished
		if err := json.Unmarshal(data, &ended); err != nil || ended != e {
			t.Fatalf("%s is read as %v, %v", data, ended, err)
		}
		line, err := encodeFinished(e)
		if err != nil || strings.Count(string(line), "\n") != 1 {
			t.Fatalf("%s, %v", line, err)
		}
		if ended, err := decodeFinished(line); err != nil || ended != e {
			t.Fatalf("%s is read as %v, %v", line, ended, err)
		}
	}
}

// The format of the files does not change, because users have matches in it.
func TestFormat(t *testing.T) {
	m := match.Record{ID: "20261120-214205", Computer: board.Yellow, Level: levels.Medium}
	m.Match, m.Game, _ = board.ParseMatch(board.FullMatrix, 1, board.FirstRandom, 1<<63, []string{"1212121"})
	e := match.Finished{Record: m, Ended: time.Date(2026, 11, 20, 22, 42, 5, 6, time.FixedZone("", 3600))}
	got, err := encodeFinished(e)
	const want = `{"version":1,"id":"20261120-214205","board":"8x8","connect":4,"points":1,"first":"random",` +
		`"seed":"9223372036854775808","computer":"blue","level":"medium","rounds":["1212121"],` +
		`"result":"WHO","score":{"blue":B,"red":R},"ended":"2026-11-20T21:42:05Z"}` + "\n"
	winner := strings.NewReplacer("WHO", "red", "B", "0", "R", "1")
	if m.Match.Starter() == board.Yellow {
		winner = strings.NewReplacer("WHO", "blue", "B", "1", "R", "0")
	}
	if strings.TrimRight(string(got), " \t\n")+"\n" != winner.Replace(want) || err != nil {
		t.Errorf("%s, %v\nwant %s", got, err, winner.Replace(want))
	}
	// c4hat 0.1 had five levels and wrote a level's number.
	old := bytes.Replace(bytes.TrimRight(got, " \t\n"), []byte(`"level":"medium"`), []byte(`"level":3`), 1)
	if read, err := decodeFinished(old); err != nil || read.Level != levels.Medium {
		t.Errorf("%s is read as level %v, %v", old, read.Level, err)
	}
}

const goodEntry = `{"version":1,"id":"a","board":"7x6","connect":4,"points":1,"first":"red","rounds":["1212121"],` +
	`"result":"red","score":{"red":1,"yellow":0},"ended":"2026-11-20T21:42:05Z"}`

func TestBadEntries(t *testing.T) {
	for _, tt := range []struct{ old, new, want string }{
		{goodEntry, goodEntry, ""},
		{`,"ended":"2026-11-20T21:42:05Z"`, ``, ""},
		{`2026-11`, `1970-01`, ""}, // accepted: only the clock was wrong
		{`["1212121"],"result":"red","score":{"red":1`, `["121212"],"result":"abandoned","score":{"red":0`, ""},

		{`"version":1,`, ``, "version:"},
		{`"version":1`, `"version":2`, "version:"},
		{`"1212121"`, `"12121212"`, "rounds:"},
		{`"result":"red"`, `"result":"yellow"`, "result:"},
		{`"result":"red"`, `"result":"abandoned"`, "not abandoned"},
		{`"1212121"`, `"121212"`, "not over"},
		{`"result":"red",`, ``, "result:"},
		{`"red":1`, `"red":2`, "score:"},
		{`"yellow":0`, `"blue":0`, "score:"},
		{`,"score":{"red":1,"yellow":0}`, ``, "score:"},
		{`2026-11-20T`, `2026-11-20 `, "ended:"},
		{`2026-11`, `2026-13`, "ended:"},
	} {
		if !strings.Contains(goodEntry, tt.old) {
			t.Fatalf("%s missing in the document", tt.old)
		}
		doc := strings.Replace(goodEntry, tt.old, tt.new, 1)
		_, err := decodeFinished([]byte(doc))
		refused(t, doc, err, tt.want)
	}
}

func refused(t *testing.T, doc string, err error, want string) {
	t.Helper()
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("%s: %v, want %q", doc, err, want)
	}
	if err != nil && (!strings.HasPrefix(err.Error(), "store: ") && !strings.HasPrefix(err.Error(), "match: ") || strings.Contains(err.Error(), "\n")) {
		t.Errorf("%s: %q is not one line with our prefix", doc, err)
	}
}

// A match that could not be read again is not written.
func TestEncodeErrors(t *testing.T) {
	good := match.Record{ID: "a"}
	good.Match, good.Game, _ = board.ParseMatch(board.Standard, 2, board.FirstLoser, 0, []string{"1212121", "44"})
	change := func(f func(*match.Record)) match.Record {
		m := good
		f(&m)
		return m
	}
	for name, m := range map[string]match.Record{
		"nothing":       {},
		"id":            change(func(m *match.Record) { m.ID = "a/b" }),
		"level":         change(func(m *match.Record) { m.Level = 1 }),
		"player":        change(func(m *match.Record) { m.Computer, m.Level = 7, 1 }),
		"opening":       change(func(m *match.Record) { m.Opening = 8 }),
		"other starter": change(func(m *match.Record) { m.Game, _ = board.NewGame(board.Standard, m.Match.Starter().Other()) }),
		"other board":   change(func(m *match.Record) { m.Game, _ = board.NewGame(fourByFour, m.Match.Starter()) }),
		"points":        change(func(m *match.Record) { m.Match, _ = board.NewMatch(board.Standard, 4, 0, 0) }),
		"a round more": change(func(m *match.Record) {
			m.Match, _, _ = board.ParseMatch(board.Standard, 1, 0, 0, []string{"1212121"})
			m.Game, _ = board.ParseGame(board.Standard, board.Red, "1212121")
			m.Match, _ = m.Match.Record(m.Game)
		}),
	} {
		if data, err := json.Marshal(m); err == nil {
			t.Errorf("%s: %s", name, data)
		}
		d := newFakeDisk()
		s, _ := start(d)
		if s.put(m) == nil || s.finish(m, true) == nil || s.close() != nil || len(d.names) > 1 {
			t.Errorf("%s is saved: %v", name, d)
		}
	}
	if s, _ := start(newFakeDisk()); s.finish(good, false) == nil {
		t.Error("a match that is not over is finished")
	}
}
