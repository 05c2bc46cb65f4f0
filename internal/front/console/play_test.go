package console

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/dev/golden"
	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/session"
)

// computer answers requests for hints. Without an answer there is no hint.
type computer struct{ advice *game.Advice }

func (c computer) Answer(_ context.Context, q game.Question, _ func(game.Event)) (game.Answered, error) {
	if c.advice == nil {
		return game.Answered{}, io.ErrNoProgress
	}
	return game.Answered{ID: q.ID, Advice: *c.advice}, nil
}

func (computer) Rest() {}

var (
	standard = game.Config{Setup: game.Setup{Rules: board.Standard, Points: 2}}
	fixed    = computer{&game.Advice{Exact: true, Score: [8]int{-2, -1, 0, 1, 0, -1, -2}}}
)

// play plays a match in lines of text.
func play(ctx context.Context, c game.Config, o session.Options, text Options) error {
	s, err := game.New(c, time.Unix(0, 0))
	if err != nil {
		return err
	}
	p := NewPanel(ctx, text)
	defer p.Close()
	o.Instant = true
	_, err = session.New(s, o).Run(ctx, p)
	return err
}

// listen plays a match and returns the output.
func listen(t *testing.T, c game.Config, hints computer, input string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := play(t.Context(), c, session.Options{Computer: hints}, Options{In: strings.NewReader(input), Out: &out, Boards: EachRound, Newline: true})
	return out.String(), err
}

// A hint says in words what wins at once, what loses to the next disc, which columns are equally good, and what
// an estimate does not know. After it, each command has its effect.
func TestHints(t *testing.T) {
	var all strings.Builder
	for _, tt := range []struct {
		moves  string
		rules  board.Rules
		advice *game.Advice
		typed  string
	}{
		{"", board.Standard, nil, "?\n4\nq\n"},
		{"", board.Standard, fixed.advice, "4\n?\nu\n?\n3\n?\n?\nq\n"},
		{"111111", board.Standard, fixed.advice, "?\nq\n"},
		{"121212", board.Standard, &game.Advice{Exact: true, Score: [8]int{18, -17, 0, 1, 0, -17, -3}}, "?\nq\n"},
		{"12121", board.Standard, &game.Advice{Exact: true, Score: [8]int{0, -18, -18, -18, -18, -18, -18}}, "?\nq\n"},
		{"", board.Standard, &game.Advice{Exact: true, Score: [8]int{0, 1, 1, 0, 1, 1, 0}}, "?\nq\n"},
		{"444444", board.Standard, &game.Advice{Exact: true, Score: [8]int{-1, -1, 2, 0, 2, -1, -1}}, "?\nq\n"},
		{"121212", board.FullMatrix, &game.Advice{Score: [8]int{29, -9, 0, 0, 3, 0, -8}}, "?\nq\n"},
		{"", board.FullMatrix, &game.Advice{}, "?\nq\n"},
	} {
		out, err := listen(t, game.Config{Setup: game.Setup{Rules: tt.rules, Points: 1, Opening: tt.moves}}, computer{tt.advice}, tt.typed)
		must(t, err)
		all.WriteString("== " + tt.moves + "\n" + out)
	}
	golden.Check(t, "testdata/hints.golden", all.String())
}

func TestBadLines(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"\x1b[31mred\n", `"\x1b[31mred" is not a column`},
		{"\xff\x00\n", `"\xff\x00" is not a column`},
		{strings.Repeat("9", 1<<14) + "\n", `9" and so on is not a column`},
		{"\r\n", "That line is empty"},
		{"+4\n", `"+4" is not a column`},
		{"4 4\n", `"4 4" is not a column`},
		{"256\n", `"256" is not a column`},
		{"255\n", "There is no column 255."},
		{"  3\t\r\n", "red: column 3, row 1"},
		{"U\n", "Nothing to take back in this round yet."},
		{strings.Repeat("4\x00", 5000) + "\n5\n", "red: column 5, row 1"}, // a line that is too long is one line
	} {
		out, err := listen(t, standard, fixed, tt.in+"Q\n")
		if err != nil || !strings.Contains(out, tt.want) || strings.Count(out, "is not a column") > 1 {
			t.Errorf("%.20q: %v\n%s", tt.in, err, out)
		}
		if strings.IndexFunc(out, func(r rune) bool { return r != '\n' && (r < ' ' || r > '~') }) >= 0 {
			t.Errorf("%.20q came back raw", tt.in)
		}
	}
}

func TestErrors(t *testing.T) {
	broken := errors.New("broken")
	err := play(t.Context(), standard, session.Options{}, Options{In: iotest.ErrReader(broken), Out: io.Discard})
	if !errors.Is(err, broken) || errors.Is(err, ErrInputEnded) {
		t.Error(err)
	}
	if _, err := listen(t, standard, fixed, "1\n"); !errors.Is(err, ErrInputEnded) {
		t.Error(err)
	}
	if _, err := listen(t, game.Config{}, fixed, ""); !errors.Is(err, board.ErrRules) {
		t.Error(err)
	}
	_, pipe := io.Pipe()
	_ = pipe.CloseWithError(broken)
	if err := play(t.Context(), standard, session.Options{}, Options{In: strings.NewReader("1\n"), Out: pipe}); err == nil {
		t.Error("no error though the output is broken")
	}
}

// For any input, Play ends, and prints only plain text, in lines that one can listen to.
func FuzzPlay(f *testing.F) {
	f.Fuzz(func(t *testing.T, input string, columns, rows, connect uint8) {
		c := game.Config{Setup: game.Setup{Rules: board.Rules{Columns: int(columns), Rows: int(rows), Connect: int(connect)}, Points: 1}}
		out, err := listen(t, c, fixed, input)
		if c.Rules.Check() != nil || !c.Rules.Winnable() {
			if err == nil {
				t.Fatalf("%+v was played", c.Rules)
			}
			return
		}
		if err != nil && !errors.Is(err, ErrInputEnded) {
			t.Fatal(err)
		}
		for _, r := range out {
			if r != '\n' && (r < ' ' || r > '~') {
				t.Fatalf("%q is printed", r)
			}
		}
		// Each line has one prompt, and at most a few lines and two boards as an answer.
		asked := strings.Count(out, fmt.Sprintf(", column 1-%d: ", columns))
		if most := strings.Count(input, "\n") + 2; asked > most || strings.Count(out, "\n") > (most+1)*(2*int(rows)+8) {
			t.Fatalf("%d questions for %d lines, %d lines of answers", asked, most, strings.Count(out, "\n"))
		}
		for line := range strings.Lines(out) {
			if len(line) > max(250, 50*int(columns)) { // a hint says something else of each column
				t.Fatalf("a long line: %q", line)
			}
		}
	})
}

// Text after the prompt starts on a new line: after a line from a pipe, as after the user's Enter; and even if nobody has
// pressed it, at the end of the input, and after Ctrl-C.
func TestPromptNewline(t *testing.T) {
	cause := errors.New("cancelled")
	for _, newline := range []bool{false, true} {
		for _, want := range []error{ErrInputEnded, cause} {
			synctest.Test(t, func(t *testing.T) {
				in, end := io.Pipe()
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Hour, func() { // the prompt waits by then
					if want == cause {
						cancel(cause)
					}
					end.Close()
				})
				var out bytes.Buffer
				err := play(ctx, standard, session.Options{}, Options{In: io.MultiReader(strings.NewReader("4\n"), in), Out: &out, Newline: newline})
				got := out.String()
				if !errors.Is(err, want) || !strings.HasSuffix(got, ": \n") || strings.Contains(got, ": red: column 4, row 1\n") == newline {
					t.Errorf("%v, %q", err, got)
				}
			})
		}
	}
}

var must = try.Must
