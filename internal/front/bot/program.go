// Package bot lets programs play Connect-4.
//
// A program runs for one match. Each turn it reads a line with the moves so far ("4453"), and
// answers with a line that has a column, numbered from 1. When the match is over, the program's
// input ends. Then c4hat ends the program and its process group.
package bot

import (
	"bytes"
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
	"github.com/c4hat/c4hat/internal/words"
)

// Options configure [Start].
type Options struct {
	Rules     board.Rules
	Player    board.Disc
	MoveTime  time.Duration // limit for what each answer may take, as [clock] counts it; 0: none
	StartTime time.Duration // what the first answer may take beside that
	Log       io.Writer     // takes the first mebibyte of standard error; may be nil
}

// StartTime is the usual one: some languages take long to start on a small Pi.
const StartTime = 30 * time.Second

// Program is a program that is running. It is not safe for concurrent use.
type Program struct {
	Options
	Took  time.Duration // what the last answer took
	Rival *Program      // stands still while this program thinks; may be nil

	command Command
	cmd     *exec.Cmd // leads a process group; a process that leaves it on purpose is its author's problem
	input   io.WriteCloser
	answers answers
	errors  tail
	ended   chan struct{}      // closed when the program has ended
	end     context.CancelFunc // ends it
	ready   bool               // it has answered
}

// goodbye is how long a program may take to end after its input has ended, and again after SIGTERM.
const goodbye = 250 * time.Millisecond

// Start starts a program for a match. The caller must [Program.Close] it.
func Start(c Command, o Options) (*Program, error) {
	ctx, end := context.WithCancel(context.Background())
	p := &Program{
		Options: o, command: c, cmd: exec.CommandContext(ctx, c.path), end: end, ended: make(chan struct{}),
		answers: answers{ctx: ctx, lines: make(chan answer)}, errors: tail{log: o.Log},
	}
	p.cmd.Args, p.cmd.Stdout, p.cmd.Stderr = c.args, &p.answers, &p.errors
	p.cmd.Env = append(os.Environ(),
		fmt.Sprintf("C4HAT_BOARD=%dx%d", o.Rules.Columns, o.Rules.Rows),
		fmt.Sprintf("C4HAT_CONNECT=%d", o.Rules.Connect),
		"C4HAT_PLAYER="+o.Rules.Name(o.Player),
		"PYTHONUNBUFFERED=1", // the most common mistake in a program is to forget to flush
	)
	p.cmd.SysProcAttr = ownGroup()
	dieWithParent(p.cmd.SysProcAttr)
	p.cmd.Cancel, p.cmd.WaitDelay = p.terminate, goodbye
	var err error
	if p.input, err = p.cmd.StdinPipe(); err == nil {
		started := make(chan error)
		go p.run(started)
		err = <-started
	}
	if err != nil {
		end()
		return nil, c.explain(err)
	}
	p.limit()
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
		p.kill()
		close(p.ended)
	}
}

// Close ends the program and its process group. It returns the end of what the
// program wrote to its standard error, as printable lines.
func (p *Program) Close() string {
	p.resume()
	_ = p.input.Close()
	select {
	case <-p.ended:
	case <-time.After(goodbye):
	}
	p.end()
	<-p.ended
	return p.errors.text()
}

// name returns the program's name in messages: "yellow's program ./bot.py".
func (p *Program) name() string {
	return fmt.Sprintf("%s's program %v", p.Rules.Name(p.Player), p.command)
}

// ErrLate means that the program did not answer within the time for a move.
var ErrLate = errors.New("gave no answer")

// Choose asks the program for its column, from 0. An error is the context's cause, or says what the
// program did, as in "ended with exit status 1"; after an error the program cannot play on.
func (p *Program) Choose(ctx context.Context, g board.Game) (int, error) {
	p.resume()
	select {
	case a := <-p.answers.lines: // before it was asked
		_, err := column(a.text, g.Position())
		return 0, cmp.Or(err, errMore)
	default:
	}
	_, _ = io.WriteString(p.input, g.String()+"\n") // if this fails, the program has ended
	a, err := p.answer(ctx)
	col, wrong := column(a.text, g.Position())
	if a.more {
		wrong = cmp.Or(wrong, errMore)
	}
	return col, cmp.Or(err, p.Crowded(), wrong)
}

// answer waits for the program's answer. If that takes a while, the rival stands still meanwhile, so that it
// does not use the processor.
func (p *Program) answer(ctx context.Context) (answer, error) {
	began := time.Now()
	defer func() { p.Took, p.ready = time.Since(began), true }()
	c := clock{limit: p.MoveTime, every: max(p.MoveTime/10, 20*time.Millisecond)}
	if !p.ready {
		c.limit += p.StartTime
	}
	var tick <-chan time.Time
	if p.MoveTime > 0 {
		tick = time.Tick(c.every)
	}
	for {
		select {
		case a := <-p.answers.lines:
			return a, nil
		case <-p.ended:
			return answer{}, p.why()
		case <-tick:
			if p.Rival != nil {
				p.Rival.stop()
			}
			u := p.usage()
			if err := crowded(u); err != nil {
				return answer{}, err
			}
			if c.late(u) {
				return answer{}, fmt.Errorf("%w within %v", ErrLate, c.limit)
			}
		case <-ctx.Done():
			return answer{}, context.Cause(ctx)
		}
	}
}

// usage is what a program's processes use.
type usage struct {
	used    time.Duration // processor time so far
	awake   bool          // one of them computes, or waits for the processor or the disk
	threads int
}

// clock decides when a program is late. A busy machine makes none late: when its time has passed, a program is late
// only if it sleeps, or has used as much processor time.
type clock struct {
	limit, every time.Duration
	passed       time.Duration
	before       time.Duration // the processor time when it was asked
}

// most is how many times the limit may pass, whatever counts.
const most = 10

// late ends an interval, and reports whether the program has taken too long.
func (c *clock) late(u usage) bool {
	if c.passed += c.every; c.passed == c.every {
		c.before = u.used - c.every // nobody knows what it used until now
	}
	return c.passed >= c.limit && (!u.awake || u.used-c.before >= c.limit) || c.passed >= most*c.limit
}

// mostThreads is how many threads a program may have in all its processes. Some libraries start one for each
// processor.
func mostThreads() int { return 64 + 16*runtime.NumCPU() }

// Crowded returns an error if the program has too many processes and threads: others might then start none.
func (p *Program) Crowded() error { return crowded(p.usage()) }

func crowded(u usage) error {
	if u.threads <= mostThreads() {
		return nil
	}
	return fmt.Errorf("had more than %d processes and threads", mostThreads())
}

// why says how the program has ended.
func (p *Program) why() error {
	status, last := p.cmd.ProcessState.String(), p.errors.lastLine()
	if status == "exit status 0" {
		status += " before it answered"
		if python := func(word string) bool { return strings.HasSuffix(word, ".py") }; slices.ContainsFunc(p.command.args, python) {
			last = "it must call run(choose) at its end, or answer each line in a loop"
		}
	}
	if last != "" {
		status += ": " + last
	}
	return errors.New("ended with " + status)
}

// longest is the length of the longest line that is read. An answer is one digit, but if a program
// prints another line by mistake, the error should show that line.
const longest = 128

// aside is the remedy if a program prints more than its column: most are in Python.
const aside = ": for other text use print(..., file=sys.stderr)"

var errMore = errors.New("answered more than one line in a turn" + aside)

// answer is a line without its newline.
type answer struct {
	text string
	more bool // something followed in the same moment
}

// answers takes a program's standard output line by line. It waits until somebody wants a line, so a program
// that never stops writing has to wait too.
type answers struct {
	ctx   context.Context // of the program
	lines chan answer
	begun []byte // the line that has not ended
}

func (w *answers) Write(b []byte) (int, error) {
	w.begun = append(w.begun, b...)
	for {
		line, rest, ended := bytes.Cut(w.begun, []byte("\n"))
		if !ended && len(line) <= longest {
			return len(b), nil
		}
		if len(line) <= longest { // a longer one is no column, even of spaces
			line = bytes.TrimSpace(line)
		}
		select {
		case w.lines <- answer{string(line), len(rest) > 0}:
		case <-w.ctx.Done():
			return 0, w.ctx.Err()
		}
		w.begun = rest
	}
}

// column returns the column of an answer, from 0, or an error if that column is full.
func column(text string, p board.Position) (int, error) {
	columns := p.Rules().Columns
	if len(text) != 1 || text[0] < '1' || text[0] >= '1'+byte(columns) {
		remedy := aside
		if _, err := strconv.Atoi(text); err == nil {
			remedy = ""
		}
		return 0, fmt.Errorf("answered %s, which is no column from 1 to %d%s", words.Quote(text), columns, remedy)
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
	log    io.Writer // may be nil
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
