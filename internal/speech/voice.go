package speech

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"
)

// Options describe a voice.
type Options struct {
	Engine   string // one of Engines
	Rate     int    // words a minute
	Voice    string // the engine's name of a voice; empty: its voice for the language
	Language string // such as en or en-gb
	Lines    io.Writer
	Log      *slog.Logger
}

// Engines has the engines that [Options] can name. Auto is the first of the others that works.
var Engines = []string{"auto", "speech-dispatcher", "espeak-ng", "lines"}

// Slowest and Fastest are the rates of the engines, in words a minute.
const (
	Slowest, Usual, Fastest = 80, 175, 450
)

type engine interface {
	// say says a text, and returns when it has been said, or soon after the context has ended; then
	// nothing of it is heard any more.
	say(ctx context.Context, text string) error
}

// Voice says texts through the first of its engines that works. An engine that fails is left alone
// for a while, the longer the more often it fails.
type Voice struct {
	log   *slog.Logger
	tries []*try
	last  *try // the engine that spoke last
}

type try struct {
	name string
	engine
	failures int
	until    time.Time // the engine rests until then
}

// NewVoice returns a voice. It opens nothing before the first text.
func NewVoice(o Options) *Voice {
	v := &Voice{log: o.Log}
	// in the order of Engines
	for i, e := range []engine{&dispatcher{options: o, dial: dialDispatcher}, espeak(o), lines{o.Lines}} {
		if name := Engines[1+i]; o.Engine == name || o.Engine == Engines[0] {
			v.tries = append(v.tries, &try{name: name, engine: e})
		}
	}
	return v
}

const (
	firstRest, longestRest = time.Second, time.Minute

	// An engine that takes longer than patience, and slowest for each byte, hangs. At the lowest rate
	// a second has eight letters.
	patience, slowest = 5 * time.Second, 150 * time.Millisecond
)

var errSilent = errors.New("no engine speaks")

// Say says a text, and returns when it has been said or the context has ended. The error says that no
// engine works at the moment.
func (v *Voice) Say(ctx context.Context, text string) error {
	for _, t := range v.tries {
		if time.Now().Before(t.until) {
			continue
		}
		limited, cancel := context.WithTimeout(ctx, patience+slowest*time.Duration(len(text)))
		err := t.say(limited, text)
		hangs := limited.Err() != nil && ctx.Err() == nil
		cancel()
		switch {
		case hangs:
			err = errors.New("it hangs")
		case err == nil || ctx.Err() != nil && errors.Is(err, ctx.Err()):
			t.failures, t.until = 0, time.Time{}
			if t != v.last {
				v.last = t
				v.log.Info("speaking through " + t.name)
			}
			return nil
		}
		if t.failures++; t.failures == 1 {
			level := slog.LevelWarn
			if v.last != t && len(v.tries) > 1 { // many machines have only one of the engines
				level = slog.LevelInfo
			}
			v.log.Log(ctx, level, fmt.Sprintf("cannot speak through %s: %v", t.name, err))
		}
		if v.last == t {
			v.last = nil
		}
		t.until = time.Now().Add(min(firstRest<<min(t.failures-1, 10), longestRest))
	}
	if ctx.Err() != nil {
		return nil
	}
	return errSilent
}

// Retry returns when the first of the engines that rest may be tried again.
func (v *Voice) Retry() time.Time {
	return slices.MinFunc(v.tries, func(a, b *try) int { return a.until.Compare(b.until) }).until
}

// lines writes each text as a line, for another program that speaks.
type lines struct{ out io.Writer }

func (l lines) say(_ context.Context, text string) error {
	_, err := fmt.Fprintln(l.out, text)
	return err
}
