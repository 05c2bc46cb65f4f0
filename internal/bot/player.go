// Package player runs a program that plays Connect-4.
//
// A program runs for one match. Each turn it reads a line with the moves so far ("4453"), and
// answers with a line that has a column, numbered from 1. When the match is over, the program's
// input ends. Then c4hat ends the program and all processes that the program has started.
package bot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/c4hat/c4hat/board"
)

// Options configure [Start].
type Options struct {
	Rules    board.Rules
	Player   board.Disc
	MoveTime time.Duration // limit for each answer; 0: none
	Log      io.Writer     // takes the first mebibyte of standard error; may be nil
}

// Program is a program that is running. It is not safe for concurrent use.
type Program struct {
	moveTime time.Duration
	input    *os.File
	output   *os.File
	answers  chan answer
	closed   chan struct{}
	asked    string // the moves that the program was asked about last
	owes     bool   // the program still owes an answer to asked
	complaints
	*process
}

// goodbye is how long a program may take to end after its input has ended, and again after SIGTERM.
const goodbye = 250 * time.Millisecond

// patience is how long c4hat waits for a program to end after the program's output has ended, and
// then for the end of the program's standard error, which another process may hold open. On an idle
// machine neither wait should take long.
const patience = 5 * time.Second

// await waits until a channel is closed, but no longer than most, and reports whether it is.
func await(done <-chan struct{}, most time.Duration) bool {
	select {
	case <-done:
		return true
	case <-time.After(most):
		return false
	}
}

// Start starts a program for a match. The caller must [Program.Close] it.
func Start(c Command, o Options) (*Program, error) {
	var theirs, ours [3]*os.File // input, output, errors
	for i := range theirs {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(theirs[:], ours[:])
			return nil, err
		}
		theirs[i], ours[i] = w, r
	}
	theirs[0], ours[0] = ours[0], theirs[0] // the program reads its input
	environment := append(os.Environ(),
		fmt.Sprintf("C4HAT_BOARD=%dx%d", o.Rules.Columns, o.Rules.Rows),
		fmt.Sprintf("C4HAT_CONNECT=%d", o.Rules.Connect),
		"C4HAT_PLAYER="+o.Rules.Name(o.Player),
		"PYTHONUNBUFFERED=1", // the most common mistake in a program is to forget to flush
	)
	running, err := start(c, environment, theirs[:])
	closeAll(theirs[:])
	if err != nil {
		closeAll(ours[:])
		return nil, c.explain(err)
	}
	p := &Program{
		moveTime: o.MoveTime, input: ours[0], output: ours[1], process: running,
		answers: make(chan answer), closed: make(chan struct{}),
		complaints: complaints{from: ours[2], log: o.Log, done: make(chan struct{})},
	}
	go p.listen()
	go p.collect()
	return p, nil
}

func closeAll(lists ...[]*os.File) {
	for _, f := range slices.Concat(lists...) {
		_ = f.Close() // a pipe, or nil
	}
}

// Choose asks the program for its column, from 0. An error is the context's cause, or says what the
// program did, as in "ended with exit status 1"; after such an error the program cannot play on. If
// the context ends, the program still owes its answer, and the next call reads that answer first.
func (p *Program) Choose(ctx context.Context, g board.Game) (int, error) {
	moves := g.String()
	if p.owes && p.asked != moves {
		if _, err := p.answer(ctx); err != nil {
			return 0, err
		}
	}
	if !p.owes {
		if err := p.early(); err != nil {
			return 0, err
		}
		if p.moveTime > 0 {
			_ = p.input.SetWriteDeadline(time.Now().Add(p.moveTime)) // fails where pipes have no deadlines
		}
		// Ignore an error here: if the program did not read the line, it does not answer, and answer
		// returns the error for that.
		_, _ = p.input.WriteString(moves + "\n")
		p.owes, p.asked = true, moves
	}
	text, err := p.answer(ctx)
	if err != nil {
		return 0, err
	}
	return column(text, g.Position())
}

// answer waits for the answer that the program owes.
func (p *Program) answer(ctx context.Context) (string, error) {
	var late <-chan time.Time
	if p.moveTime > 0 {
		timer := time.NewTimer(p.moveTime)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case a := <-p.answers:
		p.owes = false
		switch {
		case a.err != nil:
			return "", p.why(a.err)
		case a.more:
			return "", errMore
		}
		return a.text, nil
	case <-late:
		return "", fmt.Errorf("%w within %v", ErrLate, p.moveTime)
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// ErrLate means that the program did not answer within the time for a move.
var ErrLate = errors.New("gave no answer")

var errMore = errors.New("answered more than one line in a turn")

// early returns an error if the program wrote an answer, or ended its output, before it was asked.
func (p *Program) early() error {
	select {
	case a := <-p.answers:
		if a.err == nil {
			return errMore
		}
		return p.why(a.err)
	default:
		return nil
	}
}

// why returns an error that says why a program's output ended.
func (p *Program) why(err error) error {
	if !errors.Is(err, io.EOF) {
		return err
	}
	if !await(p.process.done, patience) {
		return errors.New("closed its output")
	}
	text := "ended with " + p.process.status()
	await(p.complaints.done, patience)
	if last := p.lastLine(); last != "" {
		text += ": " + last
	}
	return errors.New(text)
}

// Close ends the program and all processes that it has started. It returns the end of what the
// program wrote to its standard error, as printable lines.
func (p *Program) Close() (complaints string) {
	close(p.closed)
	_ = p.input.Close()
	await(p.process.done, goodbye)
	p.process.end()
	await(p.complaints.done, patience)
	_ = p.output.Close()
	p.stop()
	return p.text()
}
