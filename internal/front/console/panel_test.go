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
)

// During another client's turn, a person at a terminal may ask about the board, and quit. The lines
// of a pipe wait for this client's turn.
func TestPanelTakenTurn(t *testing.T) {
	v := at(t, board.Standard, 2, board.FirstRed, "4")
	v.Seats[1].State = game.Taken
	for _, pipe := range []bool{false, true} {
		var out strings.Builder
		p := NewPanel(t.Context(), Options{In: strings.NewReader(""), Out: &out, Newline: pipe})
		must(t, p.Show(v))
		if (p.prompt != "") == pipe {
			t.Errorf("pipe %v: it asks: %v", pipe, p.prompt)
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
		must(t, p.Answered(game.Hint, game.View{}, game.ErrNotYours))
		const asks = "yellow's seat is taken: "
		const want = asks + "Column 4: red; 5 free.\n" + asks + "\"3\" does nothing now.\n" + asks + "Another client plays this side.\n" + asks
		if got := out.String(); !strings.HasSuffix(got, want) {
			t.Errorf("printed\n%s", got)
		}
	}
}

// What is asked again after an answer: nothing before it has an effect; the same question when the service is back,
// because the answer may have been lost; and when somebody else takes the disc back while the computer thinks.
func TestPanelAsksAgain(t *testing.T) {
	v := game.View{Phase: game.Aim, UnderWay: true, Number: 7, Record: game.Record{ID: "x", Computer: board.Red, Level: 1}}
	var out strings.Builder
	p := NewPanel(t.Context(), Options{In: strings.NewReader(""), Out: &out})
	show := func(change func(), moves, want string) {
		t.Helper()
		var err error
		v.Match, v.Game, err = board.ParseMatch(board.Standard, 2, board.FirstRed, 0, []string{moves})
		must(t, err)
		out.Reset()
		change()
		if err := p.Show(v); err != nil || out.String() != want {
			t.Errorf("printed %q, want %q, %v", out.String(), want, err)
		}
		if asks := strings.HasSuffix(want, ": "); asks != (p.prompt != "") {
			t.Errorf("after %q, it waits for a line: %v", want, !asks)
		}
	}
	answer := func() {
		t.Helper()
		if ev, err := p.line(cli.Line{Text: "3\n"}); ev != (game.Disc{Col: 2, Number: 2}) || err != nil {
			t.Fatal(ev, err)
		}
	}
	show(func() {}, "4", "The match goes on: 4 in a row on 7x6, first to 2 points; you are yellow, red is the computer at level novice; red 0, yellow 0; 1 disc on the board, the last one red, column 4, row 1; your turn.\nColumn 4: red; 5 free.\n"+
		"Type a column, or u undo, ? hint, b board, q quit; help lists all commands.\nyour turn, column 1-7: ")
	answer()
	show(func() {}, "4", "")
	show(func() { v.Lost = true }, "4", "The service does not answer: waiting for it.\n")
	show(func() { v.Lost, v.Number = false, 1 }, "4", "The service is back.\nyour turn, column 1-7: ")
	answer()
	must(t, p.Answered(game.Disc{}, game.View{Number: 3}, nil))
	show(func() { v.Number = 2 }, "4", "")
	show(func() { v.Number, v.Phase = 4, game.Thinking }, "43", "yellow: column 3, row 1\n")
	show(func() { v.Number, v.Phase = 5, game.Aim }, "4", "Taken back: yellow, column 3, row 1.\nyour turn, column 1-7: ")
	_, _ = p.line(cli.Line{Text: "?\n"})
	v.Number, v.Phase = 7, game.Hinting
	must(t, p.Show(v)) // the hint comes, and ends, before the answer
	v.Number, v.Phase = 8, game.Aim
	must(t, p.Show(v))
	if must(t, p.Answered(game.Hint, game.View{Number: 6}, nil)); p.prompt == "" {
		t.Error("after a hint that came early, it waits for no line")
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
