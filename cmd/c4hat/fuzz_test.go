package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/panel/replay"
	"github.com/c4hat/c4hat/internal/plain"
	"github.com/c4hat/c4hat/internal/store"
	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/pflag"
)

// oneLine checks what somebody reads on a terminal.
func oneLine(t *testing.T, text string) {
	t.Helper()
	if text == "" || len(text) > 900 || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		t.Fatalf("not one short line: %.1000q", text)
	}
}

// textLines checks lines that somebody reads on a terminal.
func textLines(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if line != "\n" {
			oneLine(t, strings.TrimSuffix(line, "\n"))
		}
	}
}

var lineFirst = regexp.MustCompile(`^\d+: .`)

// FuzzParseConfig: a configuration file is read as a reader of TOML reads it, or
// what is wrong is named with its line.
func FuzzParseConfig(f *testing.F) {
	f.Fuzz(func(t *testing.T, doc []byte) {
		settings, err := parseConfig(doc)
		var all map[string]any
		legal := toml.Unmarshal(doc, &all) == nil
		want := map[string]any{} // by the key's name, which no two tables share
		for table, keys := range all {
			fields, ok := keys.(map[string]any)
			legal = legal && ok && configKeys(table) != nil
			for key, value := range fields {
				switch value.(type) {
				case string, int64:
					legal = legal && slices.Contains(configKeys(table), key)
					want[key] = value
				default:
					legal = false
				}
			}
		}
		if legal != (err == nil) {
			t.Fatalf("%q: %v, a reader of TOML has %v", doc, err, all)
		}
		if err != nil {
			oneLine(t, err.Error())
			if !lineFirst.MatchString(err.Error()) {
				t.Fatalf("no line: %v", err)
			}
			return
		}
		if len(settings) != len(want) {
			t.Fatalf("%q: %+v, want %v", doc, settings, want)
		}
		for _, s := range settings {
			switch value := want[s.key].(type) {
			case string:
				if s.text != value {
					t.Fatalf("%s is %q, want %q", s.key, s.text, value)
				}
			case int64:
				if n, err := strconv.ParseInt(s.text, 0, 64); err != nil || n != value {
					t.Fatalf("%s is %q, want %d", s.key, s.text, value)
				}
			}
			if s.line < 1 || s.line > bytes.Count(doc, []byte("\n"))+1 {
				t.Fatalf("%+v", s)
			}
			if flag := newPlay().Flags().Lookup(s.key); flag == nil {
				t.Fatalf("%+v", s)
			} else if err := flag.Value.Set(s.text); err != nil {
				oneLine(t, err.Error())
			}
		}
	})
}

// fitting is what flags are taken as.
var fitting = map[string]*regexp.Regexp{
	"board":   regexp.MustCompile(`^[1-8]x[1-8]$`),
	"connect": regexp.MustCompile(`^[2-8]$`),
	"points":  regexp.MustCompile(`^[1-3]$`),
	"first":   regexp.MustCompile(`^(red|yellow|blue|alternate|loser|random)$`),
	"idle":    regexp.MustCompile(`^[0-9]`),
	"rotate":  regexp.MustCompile(`^(0|90|180|270|auto)$`),

	"brightness": regexp.MustCompile(`^([1-9][0-9]?|100)$`),
	"palette":    regexp.MustCompile(`^[a-z]+$`),
}

// FuzzSettings: what flags or a file say of a match is a match that can be played,
// or a line that says which of them is wrong; what is taken can be given again.
func FuzzSettings(f *testing.F) {
	f.Fuzz(func(t *testing.T, size, connect, points, first, idle, rotate, brightness, palette, position string) {
		s := newSettings()
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		s.addMatch(flags)
		s.addHAT(flags)
		s.position = position
		for name, text := range map[string]string{"board": size, "connect": connect, "points": points, "first": first, "idle": idle,
			"rotate": rotate, "brightness": brightness, "palette": palette} {
			if err := flags.Set(name, text); err != nil {
				// What was typed is repeated by package pflag; run makes a line of it.
				oneLine(t, strings.TrimPrefix(err.Error(), fmt.Sprintf("invalid argument %q for ", text)))
				continue
			}
			value := flags.Lookup(name).Value
			taken := value.String()
			if fits := fitting[name]; fits != nil && !fits.MatchString(taken) {
				t.Fatalf("%s %q is taken as %q", name, text, taken)
			}
			if err := value.Set(taken); err != nil || value.String() != taken {
				t.Fatalf("%s %q is taken as %q, that as %q, %v", name, text, taken, value, err)
			}
		}
		for _, strict := range []bool{false, true} {
			c, err := s.game(strict)
			if err != nil {
				oneLine(t, err.Error())
				continue
			}
			if _, err := game.New(c, time.Unix(0, 0)); err != nil {
				t.Fatalf("%+v: %v", c, err)
			}
		}
		if o := s.hat(); o.Rotate%90 != 0 || o.Rotate < 0 || o.Rotate > 270 {
			t.Fatalf("rotated by %d", o.Rotate)
		}
	})
}

// FuzzReplay: a match of the history can be told, counted, and played once more, to
// the end that it had.
func FuzzReplay(f *testing.F) {
	f.Fuzz(func(t *testing.T, line []byte) {
		var e store.Entry
		if json.Unmarshal(line, &e) != nil {
			return
		}
		var text bytes.Buffer
		if err := plain.Tell(&text, game.Record(e.Match)); err != nil {
			t.Fatal(err)
		}
		var s stats
		s.add(e)
		if err := s.write(&text, "here"); err != nil {
			t.Fatal(err)
		}
		textLines(t, text.String())
		now := time.Unix(0, 0)
		state, err := replay.Start(game.Record(e.Match), now)
		if err != nil {
			t.Fatal(err)
		}
		view := state.View(now)
		for i, moves := range append(e.Match.Match.Games(), e.Game.String()) {
			for ply, col := range moves {
				if i == 0 && ply < e.Opening {
					continue
				}
				for view.Phase != game.Aim {
					next, ok := state.Next(now)
					if !ok {
						t.Fatalf("round %d, ply %d: nothing comes after %v", i+1, ply+1, view.Phase)
					}
					now = next
					state, _ = state.Step(now, game.Tick{})
					view = state.View(now)
				}
				now = now.Add(time.Second) // sooner is no second disc
				state, _ = state.Step(now, game.Column{Col: int(col - '1')})
				view = state.View(now)
			}
		}
		now = now.Add(5 * time.Second / 2) // the last disc lands
		state, _ = state.Step(now, game.Tick{})
		view = state.View(now)
		if final := e.Final(); view.Match.Points(board.Red) != final.Points(board.Red) || view.Match.Points(board.Yellow) != final.Points(board.Yellow) {
			t.Fatalf("it ends %v, it had ended %v", game.PointsText(view.Match), game.PointsText(final))
		}
	})
}
