package socket

import (
	"context"
	"errors"
	"fmt"
	"image/color"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/dev/try"
	"github.com/c4hat/c4hat/internal/front/hatpanel"
	"github.com/c4hat/c4hat/internal/game"
)

// lender lends a HAT that shows nothing.
type lender struct {
	context.Context
	keys chan game.Press
	seen chan hatpanel.Frame
}

func (l lender) Keys() <-chan game.Press { return l.keys }
func (l lender) Show(f hatpanel.Frame)   { l.seen <- f }

// lends runs a server whose HAT is lent to one client at a time, until end is called.
func lends(t *testing.T) (l lender, path string, end func()) {
	l = lender{keys: make(chan game.Press), seen: make(chan hatpanel.Frame, 10)}
	ends := make(chan context.CancelFunc, 1)
	_, path = outside(t, func(b *bench) {
		b.Borrow = func(ctx context.Context) (Loan, error) {
			if len(ends) > 0 {
				return nil, errors.New("the HAT is in use")
			}
			lent := l
			var cancel context.CancelFunc
			lent.Context, cancel = context.WithCancel(ctx)
			ends <- cancel
			context.AfterFunc(ctx, func() { (<-ends)() })
			return lent, nil
		}
	})
	return l, path, func() { cancel := <-ends; ends <- cancel; cancel() }
}

// A borrower gets the keys and shows pictures, until it gives the HAT back or it is taken back.
func TestBorrow(t *testing.T) {
	l, path, end := lends(t)
	c := Dial(path)
	ctx, cancel := context.WithCancel(t.Context())
	h, err := c.Borrow(ctx)
	must(t, err)
	if _, err := c.Borrow(t.Context()); err == nil || err.Error() != "the HAT is in use" {
		t.Errorf("a second borrower: %v", err)
	}
	if s, err := c.Status(t.Context()); !s.Machine.Lent || err != nil {
		t.Errorf("the status of a lent HAT is %+v, %v", s.Machine, err)
	}
	for _, want := range []game.Press{{Key: game.Left}, {Key: game.Up, Action: game.Held}, {Key: game.Middle, Action: game.Released}} {
		l.keys <- want
		if got, err := h.Next(t.Context()); got != want || err != nil {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
	}
	var picture hatpanel.Frame
	for i := range picture {
		picture[i] = color.RGBA{R: uint8(i), G: 255, B: 7, A: 255}
	}
	if err := (&HAT{client: c.seated("guessed"), ctx: ctx}).Draw(picture); err == nil {
		t.Error("it draws with a guessed token")
	}
	must(t, h.Draw(picture))
	if got := <-l.seen; got != picture {
		t.Errorf("shown: %v", got)
	}
	cancel()
	for until := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if h, err = c.Borrow(t.Context()); err == nil || time.Now().After(until) {
			break
		}
	}
	must(t, err)
	end()
	if _, err := h.Next(t.Context()); !errors.Is(err, ErrReturned) {
		t.Errorf("taken back: %v", err)
	}
	if err := h.Draw(picture); !errors.Is(err, ErrReturned) {
		t.Errorf("taken back: %v", err)
	}
}

// The program in doc/socket.md draws with the joystick.
func TestDocumentedProgram(t *testing.T) {
	python := try.Tool(t, "python3")
	doc, err := os.ReadFile("../../../doc/socket.md")
	must(t, err)
	program := regexp.MustCompile("(?s)```python\n(.*?)```").FindSubmatch(doc)[1]
	l, path, end := lends(t)
	cmd := exec.CommandContext(t.Context(), python, "-c", strings.ReplaceAll(string(program), "/run/c4hat/c4hat.sock", path))
	said := new(strings.Builder)
	cmd.Stderr = said
	must(t, cmd.Start())
	lit := func(f hatpanel.Frame) (all string) {
		for i, c := range f {
			if c.R|c.G|c.B != 0 {
				all += fmt.Sprintf(" %d,%d", i%8, i/8)
			}
		}
		return all
	}
	for i, want := range []string{" 4,4", " 4,4 5,4", " 4,4 5,4 5,5", " 4,4 5,4 5,5"} {
		if i > 0 {
			key := []game.Key{game.Right, game.Down, game.Middle}[i-1]
			l.keys <- game.Press{Key: key}
			l.keys <- game.Press{Key: key, Action: game.Released}
		}
		if got := lit(<-l.seen); got != want {
			t.Errorf("it draws%s, want%s", got, want)
		}
	}
	end()
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
}
