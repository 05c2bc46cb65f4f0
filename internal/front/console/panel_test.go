package console

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// During another client's turn, a person at a terminal may ask about the board, and quit. The lines
// of a pipe wait for this client's turn.
func TestPanelTakenTurn(t *testing.T) {
	m, g, err := board.ParseMatch(board.Standard, 2, board.FirstRed, 0, []string{"4"})
	must(t, err)
	v := words.With(game.View{Phase: game.Aim, UnderWay: true, Record: game.Record{ID: "x", Match: m, Game: g}, Seats: [2]game.Seat{{State: game.Open}, {State: game.Taken}}})
	for _, pipe := range []bool{false, true} {
		var out strings.Builder
		p := NewPanel(t.Context(), Options{In: strings.NewReader(""), Out: &out, Newline: pipe})
		must(t, p.Show(v))
		if p.open == pipe {
			t.Errorf("pipe %v: it asks: %v", pipe, p.open)
		}
		if pipe {
			continue
		}
		for _, line := range []string{"c 4\n", "3\n", "q\n"} {
			ev, err := p.line(cli.Line{Text: line})
			if err != nil || (ev == game.Quit{}) != (line == "q\n") || ev != nil && line != "q\n" {
				t.Errorf("%q: %v, %v", line, ev, err)
			}
		}
		const want = "somebody else plays yellow: Column 4: red; 5 free.\n" +
			"somebody else plays yellow: It is not your turn.\nsomebody else plays yellow: "
		if got := out.String(); !strings.HasSuffix(got, want) {
			t.Errorf("printed\n%s", got)
		}
		v.Seats[1].Holder = "./bot.py"
		out.Reset()
		_ = p.Show(v)
		_ = p.Answered(game.Hint, game.View{}, game.ErrNotYours)
		if got := out.String(); !strings.Contains(got, "It is not your turn.\n") {
			t.Errorf("printed\n%s", got)
		}
	}
}

// When the service is back, a question that was answered is asked again, because the answer may
// have been lost.
func TestPanelAsksAgain(t *testing.T) {
	m, g, err := board.ParseMatch(board.Standard, 2, board.FirstRed, 0, []string{"4"})
	must(t, err)
	v := game.View{Phase: game.Aim, UnderWay: true, Record: game.Record{ID: "x", Match: m, Game: g}}
	var out strings.Builder
	p := NewPanel(t.Context(), Options{In: strings.NewReader(""), Out: &out})
	show := func(want string) {
		t.Helper()
		out.Reset()
		if err := p.Show(v); err != nil || out.String() != want {
			t.Errorf("printed %q, want %q, %v", out.String(), want, err)
		}
	}
	_ = p.Show(v)
	if ev, err := p.line(cli.Line{Text: "3\n"}); ev != (game.Disc{Col: 2, Number: 2}) || err != nil {
		t.Fatal(ev, err)
	}
	show("")
	v.Lost = true
	show("The service does not answer: waiting for it.\n")
	v.Lost = false
	show("The service is back.\nyellow, column 1-7: ")
	if !p.open {
		t.Error("it waits for no line")
	}
}

// The client of a program needs no keyboard: the end of its input is no reason to leave.
func TestPanelWithoutInput(t *testing.T) {
	for _, unaided := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			p := NewPanel(ctx, Options{In: strings.NewReader(""), Out: io.Discard, Unaided: unaided})
			must(t, p.Show(game.View{Phase: game.Paused, UnderWay: true, Record: game.Record{ID: "x"}}))
			want := ErrInputEnded
			if unaided {
				want = context.DeadlineExceeded
			}
			if _, err := p.Next(ctx); !errors.Is(err, want) {
				t.Errorf("unaided %v: %v", unaided, err)
			}
		})
	}
}
