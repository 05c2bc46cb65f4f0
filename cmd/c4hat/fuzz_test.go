package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/front/console"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/words"
)

// textLines checks that every line is printable and short.
func textLines(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if line != "\n" {
			try.OneLine(t, strings.TrimSuffix(line, "\n"))
		}
	}
}

// Every match that the history can hold can be printed, counted, and replayed to the same result.
func FuzzReplay(f *testing.F) {
	f.Fuzz(func(t *testing.T, line []byte) {
		var e match.Finished
		if json.Unmarshal(line, &e) != nil {
			return
		}
		var text bytes.Buffer
		must(t, console.Tell(&text, e.Record, console.EachRound))
		must(t, history{matches: []numbered{{1, e, nil}}, of: "here"}.results(&text, false))
		textLines(t, text.String())
		now := time.Unix(0, 0)
		state := game.LookBack(e.Record, now)
		view := state.View(now)
		for next, ok := state.Next(now); ok; next, ok = state.Next(now) {
			now = next
			state.Step(now, game.Tick{})
			view = state.View(now)
		}
		if final := e.Final(); view.Match.Points(board.Red) != final.Points(board.Red) || view.Match.Points(board.Yellow) != final.Points(board.Yellow) {
			t.Fatalf("replayed to %v, want %v", words.Points(view.Match), words.Points(final))
		}
	})
}
