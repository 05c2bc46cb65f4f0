// Package term shows the game in a terminal and takes its keys and mouse: the
// 8×8 picture of the LEDs, and beside it what a terminal can add.
//
// It stands on tcell, version 2. The program has its own loop already, so a
// framework that brings one (Bubble Tea) would have to be fought; tcell is a
// screen of cells and a queue of keys, sleeps when nothing happens, restores the
// terminal, knows its colours, and has a simulated screen for tests. Version 3
// asks the terminal questions before it draws and waits up to a second for the
// answers, which some lines (serial consoles, recordings) never give.
package term

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/light"
	"github.com/gdamore/tcell/v2"
)

// ErrClosed is the error of a terminal that is gone.
var ErrClosed = errors.New("the terminal is closed")

// Help says which keys do what, in two lines of at most 40 letters.
type Help func(*game.View) [2]string

// Panel is a terminal the game is played in. It implements the loop's Panel.
type Panel struct {
	// Look gives the LEDs their colours; nil is the classic palette. Set it before the
	// panel is used.
	Look *light.Look

	screen    tcell.Screen
	help      Help
	events    chan tcell.Event
	continued <-chan os.Signal // the shell lets the program go on
	deaf      func()           // ends continued
	restore   func()           // puts the terminal back by hand
	close     sync.Once

	mu     sync.Mutex // drawing, and what is drawn
	view   game.View
	seen   bool // there is a view to draw
	closed bool // the terminal is given back for good: nothing is drawn
	canvas canvas

	keys    keys
	pasting bool
}

// Open takes over the terminal the program was started from. Close gives it
// back as it was. The help is [PlayHelp], unless the keys do something else.
func Open(h Help) (*Panel, error) {
	restore := remember()
	tcell.SetEncodingFallback(tcell.EncodingFallbackASCII) // tcell knows UTF-8 besides; other sets have ASCII in them
	screen, err := newScreen()
	if err == nil {
		err = screen.Init()
	}
	if err != nil {
		return nil, fmt.Errorf("this terminal cannot be used (%w): try --display plain", err)
	}
	p := New(screen, h)
	p.restore = restore
	p.continued, p.deaf = continued()
	return p, nil
}

// New is a panel on a screen of tcell's that is ready and need not be the program's own
// terminal. It is finished with the panel.
func New(screen tcell.Screen, h Help) *Panel {
	screen.EnableMouse(tcell.MouseMotionEvents)
	screen.EnablePaste()
	screen.HideCursor()
	p := &Panel{
		screen:  screen,
		help:    h,
		events:  make(chan tcell.Event),
		deaf:    func() {},
		restore: func() {},
		keys:    keys{pointed: -1},
	}
	go screen.ChannelEvents(p.events, nil)
	return p
}

// patience is how long Close waits for a terminal that takes no more output: one
// that was stopped with Ctrl-S, or is behind a line that hangs.
const patience = time.Second

// Close gives the terminal back. It is safe to call more than once.
func (p *Panel) Close() {
	p.close.Do(func() {
		p.deaf()
		done := make(chan struct{})
		go func() {
			defer close(done)
			p.mu.Lock() // what is being drawn is finished first
			p.closed = true
			p.mu.Unlock()
			p.release()
			p.screen.Fini()
		}()
		select {
		case <-done:
		case <-time.After(patience):
			p.restore()
		}
	})
}

// release gives the terminal back for now. What is still typed is thrown away
// meanwhile: tcell waits until somebody has taken it.
func (p *Panel) release() error {
	done := make(chan struct{})
	defer close(done)
	go func() {
		for {
			select {
			case <-p.events:
			case <-done:
				return
			}
		}
	}()
	return p.screen.Suspend()
}

// Show draws a view. A terminal does not lose what was drawn.
func (p *Panel) Show(v game.View, _ bool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.view, p.seen = v, true
	p.draw()
	return nil
}

// Next waits for a key, a click or the mouse, and tells what it means.
func (p *Panel) Next(ctx context.Context) (game.Event, error) {
	for {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-p.continued:
			p.revive()
		case ev, ok := <-p.events:
			if !ok {
				return nil, ErrClosed
			}
			out, err := p.heard(ctx, ev)
			if out != nil || err != nil {
				return out, err
			}
		}
	}
}

// heard tells what something that came from the terminal means to the game;
// nil where it means nothing.
func (p *Panel) heard(ctx context.Context, ev tcell.Event) (game.Event, error) {
	switch ev := ev.(type) {
	case *tcell.EventError:
		return nil, fmt.Errorf("%w: %w", ErrClosed, ev)
	case *tcell.EventResize:
		p.redraw()
	case *tcell.EventPaste:
		p.pasting = ev.Start()
	case *tcell.EventKey:
		switch {
		case p.pasting && ev.Key() != tcell.KeyCtrlC: // a text is no row of moves
		case ev.Key() == tcell.KeyCtrlL:
			p.redraw()
		case ev.Key() == tcell.KeyCtrlZ:
			p.suspend(ctx)
		default:
			return p.usable(p.keys.key(ev, time.Now())), nil
		}
	case *tcell.EventMouse:
		return p.usable(p.keys.mouse(p.column(ev), ev.Buttons(), time.Now())), nil
	}
	return nil, nil
}

// column is the column of the board that the mouse is over, or -1.
func (p *Panel) column(ev *tcell.EventMouse) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	width, height := p.screen.Size()
	x, y := ev.Position()
	col, ok := layoutFor(width, height).column(x, y)
	if !ok || col >= p.view.Match.Rules().Columns {
		return -1
	}
	return col
}

// usable keeps everything but quitting out of a game that does not fit into the
// window: nobody should play what cannot be seen.
func (p *Panel) usable(ev game.Event) game.Event {
	width, height := p.screen.Size()
	if _, quits := ev.(game.Quit); !quits && !layoutFor(width, height).fits {
		return nil
	}
	return ev
}

// redraw draws everything anew, whatever the terminal shows now.
func (p *Panel) redraw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.drawAnew()
}

// drawAnew is redraw with the lock held.
func (p *Panel) drawAnew() {
	if p.closed {
		return
	}
	p.canvas.shown = nil
	p.draw()
	p.screen.Sync()
}

// suspend stops the program as Ctrl-Z does, with the terminal given back for as
// long. The context may end meanwhile: then it stays given back.
func (p *Panel) suspend(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.deaf()
	if p.release() != nil || !stop(ctx) || p.screen.Resume() != nil {
		return
	}
	p.continued, p.deaf = continued()
	p.drawAnew()
}
