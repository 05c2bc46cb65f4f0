package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/analysis"
	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/words"
)

// ErrPuzzleEnded reports the end of the input during a puzzle.
var ErrPuzzleEnded = errors.New("the input ended before the puzzle was solved; q quits")

// Puzzles plays one puzzle after another. Of the options it uses In, Out and Newline. It returns
// nil when the user quits, when the input ends between two puzzles, or when no puzzle is left;
// otherwise [ErrPuzzleEnded], the context's cause, or the error of puzzles.
func Puzzles(ctx context.Context, puzzles iter.Seq2[analysis.Puzzle, error], o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &solving{
		ctx: ctx, lines: cli.ReadLines(ctx, o.In), ends: o.Newline,
		writer: newWriter(o.Out),
	}
	return s.end(s.all(puzzles))
}

// solving is the state of a user's attempts to solve puzzles.
type solving struct {
	ctx   context.Context
	lines <-chan cli.Line
	ends  bool // as Newline in [Options]
	writer
	puzzle analysis.Puzzle
	game   board.Game
	done   int // how many discs of the puzzle's line are on the board
	inARow int
	missed bool // a wrong column was tried
}

func (s *solving) all(puzzles iter.Seq2[analysis.Puzzle, error]) error {
	number := 0
	for p, err := range puzzles {
		if err != nil {
			return err
		}
		if number++; number == 1 {
			s.say("One column wins, now and at each later turn. The computer holds out as long as it can.")
			s.say("Type a column, or ? hint, b board, q quit; help lists all commands.")
		}
		s.puzzle, s.game, s.done, s.missed = p, p.Game, 0, false
		s.puzzleText(number, p)
		if quit, err := s.solve(); quit || err != nil {
			return err
		}
		if err := s.flush(); err != nil {
			return err
		}
	}
	s.say("There are no more puzzles.")
	return nil
}

// solve asks for columns until the puzzle is solved.
func (s *solving) solve() (quit bool, err error) {
	for s.done < 2*s.puzzle.Discs-1 {
		if err := s.ask("%v, column 1-7: ", s.game.Position().Turn()); err != nil {
			return true, fmt.Errorf("writing: %w", err)
		}
		text, err := s.answer(s.ctx, s.lines, s.ends)
		switch {
		case errors.Is(err, io.EOF) && s.done == 0 && !s.missed:
			return true, nil
		case errors.Is(err, io.EOF):
			return true, ErrPuzzleEnded
		case err != nil:
			return true, err
		}
		if s.command(text) == (game.Quit{}) {
			return true, nil
		}
	}
	if s.inARow++; s.missed {
		s.inARow = 0
	}
	s.board(s.game.Position())
	if s.inARow > 1 {
		s.say("Solved: %d in a row.", s.inARow)
	} else {
		s.say("Solved.")
	}
	return false, nil
}

// command executes a line, and returns the event that results from it.
func (s *solving) command(text string) game.Event {
	position := s.game.Position()
	const want = "type 1 to 7, or ? hint, b board, q quit; help lists all commands"
	wins := int(s.puzzle.Line[s.done])
	ev := s.execute(text, position, puzzleHelp, want)
	switch c, ok := ev.(game.Column); {
	case ev == game.Hint:
		s.missed = true
		s.say("Only column %d wins.", wins+1)
	case !ok:
	case c.Col < 0 || c.Col >= position.Rules().Columns:
		s.say("%s: %s.", refused(game.NoticeNoColumn, c.Col), want)
	case !position.Legal(c.Col):
		s.say("%s: choose another from 1 to 7.", refused(game.NoticeFull, c.Col))
	case c.Col != wins:
		s.missed = true
		s.say("%s: choose another.", refused(game.NoticeWrong, c.Col))
	default:
		s.drop(board.Empty)
		if s.done < 2*s.puzzle.Discs-1 {
			s.drop(position.Turn().Other())
		}
	}
	return ev
}

// drop drops the next disc of the puzzle's line.
func (s *solving) drop(computer board.Disc) {
	_ = s.game.Play(int(s.puzzle.Line[s.done])) // the line is legal
	s.done++
	s.say("%s", words.Move(s.game, computer))
}

// puzzleText says who wins with how many discs, and shows the board.
func (w *writer) puzzleText(number int, p analysis.Puzzle) {
	position := p.Game.Position()
	w.say("Puzzle %d: %s.", number, words.PuzzleOf(position.Turn(), p.Discs))
	w.board(position)
}

func refused(kind game.NoticeKind, col int) string {
	return words.Sentence(words.Notice(game.Notice{Kind: kind, Column: col}))
}
