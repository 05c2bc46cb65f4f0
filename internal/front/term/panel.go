// Package term is a panel in a terminal: it shows the 8×8 LEDs with some text beside them,
// and takes keys and the mouse.
//
// It uses tcell, version 3. The program already has a loop, so a framework that brings its own
// (Bubble Tea) would be in the way. tcell is a screen of cells and a queue of keys, sleeps when
// nothing happens, restores the terminal, knows the terminal's colours, and has a simulated screen
// for tests. Version 3 queries the terminal before it draws and waits up to a second for answers
// that some terminals (serial consoles, recordings) never send.
package term

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/front/hatpanel"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/gdamore/tcell/v3"
	"golang.org/x/term"
)

// ErrClosed means that the terminal was closed, for example because an SSH session was
// disconnected.
var ErrClosed = errors.New("the terminal is closed")

// Panel shows the game in a terminal. It is a session.Panel.
type Panel struct {
	// Colours are those of the LEDs; nil is the classic palette. Set it before the panel
	// is used.
	Colours *hatpanel.Colours
	// Watches says that nobody plays here: the text addresses nobody. Set it before the panel is used.
	Watches bool
	// Note is a warning to show while somebody aims. Set it before the panel is used.
	Note string

	screen    tcell.Screen
	unicode   bool // the screen shows more than ASCII
	console   bool // the screen is the Linux console, whose fonts have few symbols
	events    <-chan tcell.Event
	continued chan os.Signal // receives when the program is resumed
	restore   func()         // resets the terminal without tcell
	close     sync.Once

	mu   sync.Mutex // held while drawing
	view game.View

	keys    keys
	pasting bool
}

// plain are options for a terminal that is asked nothing: a late answer would be taken for keys, and
// the Linux console prints some of the questions.
var plain = []tcell.TerminfoScreenOption{tcell.OptNegotiation(false), tcell.OptKeyboardProtocol(tcell.LegacyKeyboard)}

// Open takes over the program's terminal until Close restores it.
func Open() (*Panel, error) {
	stdin := int(os.Stdin.Fd())
	state, _ := term.GetState(stdin)
	tcell.SetEncodingFallback(tcell.EncodingFallbackASCII) // tcell supports UTF-8 anyway; other character sets include ASCII
	screen, err := newScreen()
	if err == nil {
		err = screen.Init()
	}
	if err != nil {
		return nil, fmt.Errorf("this terminal cannot be used (%w): add | cat for plain text", err)
	}
	p := New(screen)
	p.console = os.Getenv("TERM") == "linux"
	p.restore = func() {
		if state != nil {
			_ = term.Restore(stdin, state)
		}
	}
	notifyContinued(p.continued)
	return p, nil
}

// New returns a panel on an initialised tcell screen, which need not be the program's terminal.
// Closing the panel calls the screen's Fini.
func New(screen tcell.Screen) *Panel {
	screen.EnableMouse(tcell.MouseMotionEvents)
	screen.EnablePaste()
	screen.HideCursor()
	return &Panel{
		screen:    screen,
		unicode:   strings.HasPrefix(strings.ToLower(screen.CharacterSet()), "utf"), // locales write UTF-8 or utf8
		events:    screen.EventQ(),
		continued: make(chan os.Signal, 1),
		restore:   func() {},
		keys:      keys{pointed: -1},
	}
}

// closeTimeout is how long Close waits for a terminal that takes no output: one that is
// stopped with Ctrl-S, or whose connection hangs.
const closeTimeout = time.Second

// Close restores the terminal. It is safe to call more than once.
func (p *Panel) Close() {
	p.close.Do(func() {
		signal.Stop(p.continued)
		go func() {
			for range p.events { // Fini waits for room in the queue
			}
		}()
		done := make(chan struct{})
		go func() {
			p.mu.Lock() // the cells go away
			p.screen.Fini()
			p.mu.Unlock()
			close(done)
		}()
		select {
		case <-done:
		case <-time.After(closeTimeout):
			p.restore()
		}
	})
}

// Show draws a view.
func (p *Panel) Show(v game.View) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if v.Phase == game.Dark { // only LEDs go dark
		v.Frame = v.Lit()
	}
	p.view = v
	p.draw()
	return nil
}

// Next waits for a key or the mouse and returns its event.
func (p *Panel) Next(ctx context.Context) (game.Event, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-p.continued:
			p.takeOver()
		case ev, ok := <-p.events:
			if !ok {
				return nil, ErrClosed
			}
			out, err := p.handle(ev)
			if out != nil || err != nil {
				return out, err
			}
		}
	}
}

// handle handles an event of the terminal and returns the event for the game, or nil if there is
// none.
func (p *Panel) handle(ev tcell.Event) (game.Event, error) {
	switch ev := ev.(type) {
	case *tcell.EventError:
		return nil, fmt.Errorf("%w: %w", ErrClosed, ev)
	case *tcell.EventResize:
		p.redraw()
	case *tcell.EventPaste:
		p.pasting = ev.Start()
	case *tcell.EventKey:
		switch {
		case p.pasting && ev.Key() != tcell.KeyCtrlC: // pasted text is not played
		case ev.Key() == tcell.KeyCtrlL:
			p.redraw()
		case ev.Key() == tcell.KeyCtrlZ:
			p.stop()
		default:
			p.mu.Lock()
			v := p.view
			p.mu.Unlock()
			return p.usable(p.keys.key(ev, &v, time.Now())), nil
		}
	case *tcell.EventMouse:
		at, list := p.pointed(ev.Position())
		return p.usable(p.keys.mouse(at, list, ev.Buttons(), time.Now())), nil
	}
	return nil, nil
}

// pointed returns the column of the board at a cell of the window or, if a list is shown, its entry
// there; -1 if there is neither.
func (p *Panel) pointed(x, y int) (at int, list bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.layout()
	if n := len(p.view.Choices.All()); n > 0 {
		if x < l.text || x >= l.text+textWidth || y < l.top || y >= l.top+n {
			return -1, true
		}
		return y - l.top, true
	}
	return l.column(x, y), false
}

// usable returns the event. If the game does not fit in the window, usable drops every event except
// Quit, so that nobody plays without seeing the board.
func (p *Panel) usable(ev game.Event) game.Event {
	if _, quits := ev.(game.Quit); !quits && !fits(p.screen.Size()) {
		return nil
	}
	return ev
}

// redraw draws the whole window again, in case the terminal shows something else.
func (p *Panel) redraw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.draw()
	p.screen.Sync()
}

// stop stops the program's whole job, as Ctrl-Z does. Without a shell that controls the job the kernel ignores
// the signal (POSIX, orphaned process groups); then the panel takes the terminal back.
func (p *Panel) stop() {
	p.mu.Lock() // the cells go away
	_ = p.screen.Suspend()
	p.mu.Unlock()
	stopJob()
	p.continueSoon()
}

func (p *Panel) continueSoon() {
	time.AfterFunc(200*time.Millisecond, func() {
		select {
		case p.continued <- nil:
		default:
		}
	})
}

// takeOver takes the terminal over again after a stop, even after one that the panel has not noticed: then the
// shell may have changed the terminal. In the background, where the kernel would stop the program, it waits.
func (p *Panel) takeOver() {
	if !foreground() {
		p.continueSoon()
		return
	}
	p.mu.Lock()
	_ = p.screen.Suspend()
	_ = p.screen.Resume()
	p.mu.Unlock()
	p.redraw()
}
