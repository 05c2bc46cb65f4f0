// Package bot lets programs play Connect-4.
//
// A program runs for one match. Each turn it reads a line with the moves so far ("4453"), and
// answers with a line that has a column, numbered from 1. When the match is over, the program's
// input ends. Then c4hat ends the program and its process group.
package bot

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/quote"
)

// Options configure [Start].
type Options struct {
	Rules     board.Rules
	Player    board.Disc
	MoveTime  time.Duration // limit for what each answer may take, as [meter] counts it; 0: none
	StartTime time.Duration // limit for reading the first line, if there is a MoveTime; 0: 30 s
	Log       io.Writer     // takes the first mebibyte of standard error; may be nil
}

// Program is a program that is running. It is not safe for concurrent use.
type Program struct {
	Options
	Took    time.Duration // what the last answer took
	Rival   *Program      // the other player, if it is a program on the same processors; may be nil
	command Command
	input   *os.File
	output  *os.File
	answers chan answer
	closed  chan struct{}
	ready   bool   // the program has read its first line, in which it may take StartTime
	asked   string // the moves that the program was asked about last
	owes    bool   // the program still owes an answer to asked
	errors  tail
	cmd     *exec.Cmd     // leads a process group; a process that leaves it on purpose is its author's problem
	done    chan struct{} // closed when the program has ended
}

// goodbye is how long a program may take to end after its input has ended, and again after SIGTERM.
// patience limits every wait for the system, none of which takes long on an idle machine.
const (
	goodbye  = 250 * time.Millisecond
	patience = 5 * time.Second
)

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
	theirInput, input, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer theirInput.Close()
	output, theirOutput, err := os.Pipe()
	if err != nil {
		input.Close()
		return nil, err
	}
	defer theirOutput.Close()
	p := &Program{
		Options: o, command: c, input: input, output: output,
		answers: make(chan answer), closed: make(chan struct{}), done: make(chan struct{}), errors: tail{log: o.Log},
	}
	p.cmd = &exec.Cmd{
		SysProcAttr: ownGroup(), WaitDelay: goodbye, // the terminal's Ctrl-C is not for the program
		Path: c.path, Args: c.args, Stdin: theirInput, Stdout: theirOutput, Stderr: &p.errors,
		Env: append(os.Environ(),
			fmt.Sprintf("C4HAT_BOARD=%dx%d", o.Rules.Columns, o.Rules.Rows),
			fmt.Sprintf("C4HAT_CONNECT=%d", o.Rules.Connect),
			"C4HAT_PLAYER="+o.Rules.Name(o.Player),
			"PYTHONUNBUFFERED=1", // the most common mistake in a program is to forget to flush
		),
	}
	dieWithParent(p.cmd.SysProcAttr)
	started := make(chan error)
	go p.run(started)
	if err := <-started; err != nil {
		input.Close()
		output.Close()
		return nil, c.explain(err)
	}
	limit(p.cmd.Process.Pid)
	go p.listen()
	return p, nil
}

// run runs the program in a thread of its own, since on Linux the program dies with the thread that has
// started it, and then kills what is left of its group.
func (p *Program) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	started <- err
	if err == nil {
		_ = p.cmd.Wait() // the state says more
		kill(p.cmd.Process)
		close(p.done)
	}
}

// name returns the program's name in messages: "yellow's program ./bot.py".
func (p *Program) name() string {
	return fmt.Sprintf("%s's program %v", p.Rules.Name(p.Player), p.command)
}

// ErrLate means that the program did not answer within the time for a move.
var ErrLate = errors.New("gave no answer")

// ErrRival means that the machine was too busy for the program, and that its rival had used the processor for
// longer than a move may take.
var ErrRival = errors.New("kept the processor busy in the other player's turn")

// aside is the remedy if a program prints more than its column: most are in Python.
const aside = ": for other text use print(..., file=sys.stderr)"

var errMore = errors.New("answered more than one line in a turn" + aside)

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
		select {
		case a := <-p.answers: // before it was asked
			if a.err == nil {
				a.err = errMore
			}
			return 0, p.why(a.err)
		default:
		}
		// The write fails if the program has not read its last lines; then it does not answer either,
		// and answer returns the error for that.
		_ = p.input.SetWriteDeadline(time.Now().Add(patience))
		_, _ = p.input.WriteString(moves + "\n")
		p.owes, p.asked = true, moves
	}
	text, err := p.answer(ctx)
	if err != nil {
		return 0, err
	}
	return column(text, g.Position())
}

func (p *Program) answer(ctx context.Context) (string, error) {
	began := time.Now()
	defer func() { p.Took = time.Since(began) }()
	m, rival := meter{limit: p.MoveTime, every: max(p.MoveTime/10, 20*time.Millisecond)}, time.Duration(0)
	if !p.ready {
		m.limit = cmp.Or(p.StartTime, 30*time.Second)
	}
	var tick <-chan time.Time
	if p.MoveTime > 0 {
		ticker := time.NewTicker(m.every)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		select {
		case a := <-p.answers:
			p.owes, p.ready = false, true
			if a.more {
				a.err = errMore
			}
			return a.text, p.why(a.err)
		case <-tick:
			if !p.ready && !unread(p.input) { // now it may take the time of a move
				p.ready, m = true, meter{limit: p.MoveTime, every: m.every}
			}
			if m.ticks == 0 {
				rival = p.Rival.spent()
			}
			switch {
			case !m.late(p.usage()):
			case m.counted < m.limit && p.Rival.spent() > rival+m.limit:
				return "", ErrRival
			case !p.ready:
				return "", fmt.Errorf("%w within %v: it has not read its first line", ErrLate, m.limit)
			default:
				return "", fmt.Errorf("%w within %v", ErrLate, m.limit)
			}
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// spent returns the processor time that a rival has used, if it has nothing to do: it has started.
func (p *Program) spent() (used time.Duration) {
	if p != nil && p.ready {
		used, _ = p.usage()
	}
	return used
}

// why returns an answer's error, or why the program's output has ended.
func (p *Program) why(err error) error {
	switch {
	case err != io.EOF:
		return err
	case !await(p.done, patience):
		return errors.New("closed its output")
	}
	status, last := p.cmd.ProcessState.String(), p.errors.lastLine()
	text := "ended with " + status
	if status == "exit status 0" {
		text += " before it answered"
		if python := func(word string) bool { return strings.HasSuffix(word, ".py") }; slices.ContainsFunc(p.command.args, python) {
			last = "it must call run(choose) at its end, or answer each line in a loop"
		}
	}
	if last != "" {
		text += ": " + last
	}
	return errors.New(text)
}

// Close ends the program and its process group. It returns the end of what the
// program wrote to its standard error, as printable lines.
func (p *Program) Close() string {
	close(p.closed)
	_ = p.input.Close()
	await(p.done, goodbye)
	terminate(p.cmd.Process)
	if !await(p.done, goodbye) {
		kill(p.cmd.Process)
		await(p.done, patience)
	}
	_ = p.output.Close()
	return p.errors.stop()
}

// longest is the length of the longest line that is read. An answer is one digit, but if a program
// prints another line by mistake, the error should show that line.
const longest = 128

// answer is a line without its newline, or the reason why there are no more lines: [io.EOF] at the
// end of the output.
type answer struct {
	text string
	more bool // the program has already written more
	err  error
}

// listen reads the program's answers until p is closed. It reads only one line ahead. A program
// that never stops writing therefore fills the pipe, and then has to wait.
func (p *Program) listen() {
	r := bufio.NewReaderSize(p.output, longest+1)
	for {
		a := read(r)
		select {
		case p.answers <- a:
		case <-p.closed:
			return
		}
		if a.err != nil {
			return
		}
	}
}

// read reads a line. The last line need not end with a newline.
func read(r *bufio.Reader) answer {
	text, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return answer{err: fmt.Errorf("wrote a line of more than %d bytes, which begins %s", longest, quote.Short(string(text)))}
	case err != nil && len(text) == 0:
		return answer{err: io.EOF} // whatever the reason
	}
	return answer{text: strings.TrimSpace(string(text)), more: r.Buffered() > 0}
}

// column returns the column of an answer, from 0, or an error if that column is full.
func column(text string, p board.Position) (int, error) {
	columns := p.Rules().Columns
	if len(text) != 1 || text[0] < '1' || text[0] >= '1'+byte(columns) {
		remedy := aside
		if _, err := strconv.Atoi(text); err == nil {
			remedy = ""
		}
		return 0, fmt.Errorf("answered %s, which is no column from 1 to %d%s", quote.Short(text), columns, remedy)
	}
	col := int(text[0] - '1')
	if !p.Legal(col) {
		return 0, fmt.Errorf("answered column %d, which is full", col+1)
	}
	return col, nil
}

// The last keptMost bytes of a program's standard error are kept, and the first logMost are logged.
const (
	keptMost = 4 << 10
	logMost  = 1 << 20
)

// tail takes a program's standard error. It always takes everything, so that the program never
// waits when it writes there.
type tail struct {
	mu     sync.Mutex
	log    io.Writer
	logged int
	kept   []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.log != nil && t.logged < logMost {
		_, _ = t.log.Write(b[:min(len(b), logMost-t.logged)])
		if t.logged += len(b); t.logged >= logMost {
			_, _ = io.WriteString(t.log, "\n(the rest was dropped)\n")
		}
	}
	t.kept = append(t.kept, b...)
	t.kept = t.kept[max(0, len(t.kept)-keptMost):]
	return len(b), nil
}

// stop returns the text. After that, the log is no longer used.
func (t *tail) stop() string {
	t.mu.Lock()
	t.log = nil
	t.mu.Unlock()
	return t.text()
}

// text returns what was kept, without characters that would disturb a terminal.
func (t *tail) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimRight(strings.Map(func(r rune) rune {
		if r != '\n' && !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ReplaceAll(string(t.kept), "\t", "    ")), " \n")
}

// lastLine returns the last line, shortened. In most languages the last line of an error message
// says what went wrong.
func (t *tail) lastLine() string {
	text := t.text()
	return cli.Shorten(strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:]), 101)
}

// meter decides when a program is late, so that a busy machine makes none late. In an interval at whose end all
// its processes sleep, all time counts; otherwise the processor time that they used.
type meter struct {
	limit, every time.Duration
	used         time.Duration // the processor time until the last interval
	counted      time.Duration
	ticks        int // intervals
}

// most is how many times the limit may pass, whatever the meter counts.
const most = 10

// late ends an interval, and reports whether the program has taken too long.
func (m *meter) late(used time.Duration, awake bool) bool {
	if m.ticks == 0 || !awake { // before the first interval, it is not known what was used
		m.counted += m.every
	} else {
		m.counted += max(0, min(m.every, used-m.used))
	}
	m.used, m.ticks = used, m.ticks+1
	return m.counted >= m.limit || time.Duration(m.ticks)*m.every >= most*m.limit
}
