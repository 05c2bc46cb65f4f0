package main

import (
	"context"
	"time"

	"github.com/c4hat/c4hat/internal/computer"
	"github.com/c4hat/c4hat/internal/front/hatpanel"
	"github.com/c4hat/c4hat/internal/front/speech"
	"github.com/c4hat/c4hat/internal/game"
)

// shot is a view and its duration.
type shot struct {
	frame hatpanel.Frame // see [hatpanel.Colours.Screen]
	view  game.View
	lasts time.Duration
}

// stage is a game that is filmed, with a clock that the scene advances and a computer
// player.
type stage struct {
	state    *game.Game
	now      time.Time
	computer computer.Computer
	colours  *hatpanel.Colours
	puzzle   game.Puzzle // the last puzzle
	rolling  bool
	shots    []shot
	err      error

	voice *speech.Narrator // nil: nobody listens
	said  []line
}

// line is a line of what the voice says, after a key if key is not empty.
type line struct {
	at        time.Duration
	key, text string
}

func (s *stage) begin(c game.Config) {
	s.now = time.Unix(0, 0)
	s.state, s.err = game.New(c, s.now)
	s.do(game.Tick{})
}

// do sends events to the game; the computer replies at once.
func (s *stage) do(events ...game.Event) {
	for _, ev := range events {
		effects := s.state.Step(s.now, ev)
		for _, e := range effects {
			if q, ok := e.(game.Question); ok {
				s.answer(q)
			}
		}
		s.listen("")
	}
}

// listen hears the current view.
func (s *stage) listen(key string) {
	if s.voice == nil {
		return
	}
	at := s.now.Sub(time.Unix(0, 0))
	must, shown := s.voice.Tell(s.state.View(s.now))
	for _, text := range append(must, shown) {
		if n := len(s.said); n > 0 && text != "" && s.said[n-1].text == "" {
			s.said[n-1].text = text
		} else if text != "" || key != "" {
			s.said = append(s.said, line{at, key, text})
		}
	}
}

func (s *stage) answer(q game.Question) {
	ev, err := s.computer.Answer(context.Background(), q, func(ev game.Event) { s.do(ev) })
	if q.Kind == game.Compose {
		s.puzzle = ev.Puzzle
	}
	if s.err == nil {
		s.err = err
	}
	s.do(ev)
}

var keyNames = map[game.Key]string{game.Left: "left", game.Right: "right", game.Up: "up", game.Middle: "press"}

// press presses keys briefly, and waits after each.
func (s *stage) press(then time.Duration, keys ...game.Key) {
	for _, k := range keys {
		s.listen(keyNames[k])
		s.do(game.Press{Key: k}, game.Press{Key: k, Action: game.Released})
		s.wait(then)
	}
}

// wait lets time pass as a session does, from one change of the picture to the next.
func (s *stage) wait(d time.Duration) {
	for end := s.now.Add(d); s.now.Before(end); {
		next, ok := s.state.Next(s.now)
		if !ok || next.After(end) {
			next = end
		}
		s.shoot(next.Sub(s.now))
		s.now = next
		s.do(game.Tick{})
	}
}

// until waits for a phase to begin, for at most a minute.
func (s *stage) until(p game.Phase) {
	for end := s.now.Add(time.Minute); s.state.Phase() != p && s.now.Before(end); {
		s.wait(10 * time.Millisecond)
	}
}

// shoot films the current view, and extends the last shot if that shows the same.
func (s *stage) shoot(lasts time.Duration) {
	if !s.rolling {
		return
	}
	view := s.state.View(s.now)
	frame := s.colours.Screen(&view.Frame)
	if n := len(s.shots); n > 0 && s.shots[n-1].frame == frame {
		s.shots[n-1].lasts += lasts
		return
	}
	s.shots = append(s.shots, shot{frame, view, lasts})
}

// snap takes a single picture.
func (s *stage) snap() {
	s.rolling = true
	s.shoot(0)
	s.rolling = false
}
