package link

import (
	"context"
	"errors"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/socket"
)

// side is one of the two machines. Only the goroutine of Link.run uses it.
type side struct {
	link   *Link
	name   string
	player board.Disc // who uses its joystick; the link holds the other player's seat

	dial  func() (*line, error)
	line  *line              // to its service; nil without a connection
	token string             // of the seat; empty: none
	leave context.CancelFunc // ends the stream; later messages from it are ignored
	up    bool               // the stream delivers views
	since time.Time          // when up became true
	view  game.View          // the latest
	tries int                // failed attempts since the last line that worked
	downs int                // how often the service went down; answers to earlier requests are ignored

	busy    bool      // a request is under way
	telling bool      // a request of point or tell is under way; discs do not wait for it
	wait    time.Time // no request is made before this time
	refused int       // failed attempts to take the seat

	started string      // ID of the match that the link has started on this side
	match   string      // ID of the linked match
	past    game.Record // the linked match, if the service has finished it and was restarted
	seen    int         // the most discs of that match that the service has shown
	settled int         // the most discs that it has shown when all were saved and none was falling
	away    bool        // the service was told that the other side is paused, dark or disconnected
	pointed [2]int      // the last cursor sent to the service (a column from 1), and the number of discs at that time
}

// follow reads the service's views, over a new line if there is none. With the seat's token, the
// stream tells the service that the seat's holder is there.
func (s *side) follow() {
	s.leave()
	s.up, s.away = false, false
	ctx, cancel := context.WithCancel(s.link.life)
	s.leave = cancel
	tell := func(f func()) {
		s.link.send(func() {
			if ctx.Err() == nil { // otherwise the side has left this stream
				f()
			}
		})
	}
	if s.line == nil {
		s.link.lines.Go(func() {
			at, err := s.dial()
			if err != nil {
				tell(func() { s.lost(err) })
				return
			}
			tell(func() { s.line = at; s.follow() })
			if s.link.ctx.Err() != nil { // the link has ended and does not use the line
				at.end()
			}
		})
		return
	}
	client := s.line.client.Seated(s.token)
	go func() {
		for v, err := range client.Events(ctx) {
			if err != nil {
				tell(func() { s.lost(err) })
			} else {
				tell(func() { s.show(v) })
			}
		}
	}()
}

// show stores a view of the stream.
func (s *side) show(v game.View) {
	if !s.up {
		s.up, s.since = true, time.Now()
	}
	s.store(v)
}

// store stores a view, unless a later one has come, and counts the linked match's discs in it.
func (s *side) store(v game.View) {
	if v.Number < s.view.Number {
		return
	}
	s.view = v
	if v.ID == "" && s.past.ID != "" && s.past.ID == s.match {
		s.view.Record = s.past
	}
	if n := v.Discs(); v.ID == s.match {
		s.seen = max(s.seen, n)
		if v.Phase != game.Fall && !v.Unsaved {
			s.settled = max(s.settled, n)
		}
	}
}

// lost handles the end of a stream, or an error of dial. It opens another line after a pause.
func (s *side) lost(err error) {
	switch {
	case errors.Is(err, game.ErrNoSeat): // the service was restarted, or has since opened the seat
		s.token = ""
		s.follow()
		return
	case errors.Is(err, ErrConflict):
		s.link.cancel(err)
		return
	case s.up && time.Since(s.since) > 2*time.Second: // the line worked
		s.tries = 0
	case s == &s.link.there && s.tries > 0: // decide tells the first failure
		s.link.say("%v; trying again", err)
	}
	s.down()
	s.link.later(min(500*time.Millisecond<<min(s.tries, 10), 30*time.Second), s.follow)
	s.tries++
}

// down notes that the service does not answer.
func (s *side) down() {
	s.up, s.busy, s.telling = false, false, false
	s.leave() // messages that are still under way are ignored
	s.downs++
	s.view.Number = 0 // a restarted service counts anew
	if s.line != nil {
		s.line.end()
		s.line = nil
	}
}

// request makes a request, with a seat's token if it is not empty, and passes its error to then.
// While the request is under way, *underWay is true: &s.telling for point and tell, &s.busy for all
// others. If the service goes down before it answers, then is not called.
func (s *side) request(underWay *bool, token string, what func(context.Context, *socket.Client) error, then func(error)) {
	*underWay = true
	downs, client := s.downs, s.line.client.Seated(token)
	go func() {
		ctx, cancel := context.WithTimeout(s.link.life, requestTime)
		defer cancel()
		err := what(ctx, client)
		s.link.send(func() {
			if downs != s.downs {
				return
			}
			*underWay = false
			if errors.Is(err, game.ErrNoSeat) && s.token == token {
				s.token = ""
			}
			then(err)
		})
	}()
}

func (s *side) do(underWay *bool, token string, ev game.Event, then func(game.View, error)) {
	var v game.View
	s.request(underWay, token, func(ctx context.Context, c *socket.Client) (err error) {
		v, err = c.Do(ctx, ev)
		return err
	}, func(err error) {
		if err == nil {
			s.store(v) // the stream may show it later
		}
		then(v, err)
	})
}

// requestTime is how long a request may take.
const requestTime = 10 * time.Second

// ready reports whether a request may be made.
func (s *side) ready() bool { return s.up && !s.busy && !time.Now().Before(s.wait) }

// rest delays the next request.
func (s *side) rest(d time.Duration) {
	s.wait = time.Now().Add(d)
	s.link.later(d, func() {})
}

// again waits for the effect of a press before the link repeats it. The game ignores a drop key
// within a quarter of a second of the last one.
func (s *side) again(game.View, error) { s.rest(300 * time.Millisecond) }

// drop drops a disc of the linked match on this side. number is the disc's number in the match,
// from 1. If the disc is one of the side's own player, a power cut lost it before it was saved.
func (s *side) drop(d disc, number int) {
	token := s.token
	if d.player == s.player {
		token = ""
	} else if token == "" {
		return
	}
	switch s.view.Phase {
	case game.Fall, game.Thinking, game.Paused, game.Reading:
		return
	}
	if s.ready() {
		s.do(&s.busy, token, game.Disc{Col: d.col, Number: number}, s.again) // the stream shows whether the disc fell
	}
}

func (s *side) end() {
	if s.ready() {
		s.do(&s.busy, "", game.End{}, s.again)
	}
}

// point moves the cursor to the column where the player on the other side has it.
func (s *side) point(col int) {
	want := [2]int{col + 1, s.view.Discs()}
	if s.token == "" || s.view.Phase != game.Aim || s.view.Cursor == col || s.pointed == want || s.telling {
		return
	}
	s.pointed = want
	s.do(&s.telling, s.token, game.Point{Col: col}, func(game.View, error) {})
}

// tell tells the service whether the other side is paused, dark or disconnected.
func (s *side) tell(away bool) {
	if s.token == "" || s.away == away || !s.up || s.telling {
		return
	}
	token := s.token
	s.do(&s.telling, token, game.Reachable{Is: !away}, func(_ game.View, err error) {
		if err == nil && token == s.token {
			s.away = away
		}
	})
}

func (s *side) take() {
	if s.token != "" || !s.ready() || !s.view.UnderWay || s.view.ID != s.match {
		return
	}
	seat, token := s.view.Match.Rules().Name(s.player.Other()), ""
	s.request(&s.busy, "", func(ctx context.Context, c *socket.Client) error {
		seated, err := c.TakeSeat(ctx, api.SeatRequest{Seat: seat, Final: true})
		token = seated.Token
		return err
	}, func(err error) {
		switch {
		case err == nil:
			s.token, s.refused = token, 0
			s.follow()
		case errors.Is(err, game.ErrTaken): // perhaps by this link, before the connection broke
			if s.refused++; s.refused > maxRefused {
				s.link.cancel(conflict("%s's seat is taken by another client %s: end that client", seat, s.name))
				return
			}
			s.link.say("waiting for %s's seat %s", seat, s.name)
			s.rest(2 * time.Second)
		default:
			s.rest(time.Second)
		}
	})
}

// maxRefused is how often a seat may be refused. At one attempt every two seconds this takes a
// minute; the service keeps a seat for half a minute after its holder has disconnected.
const maxRefused = 30

// may returns an error if a side may not be given the discs that it lacks. A side may be given the
// other player's discs. It may be given its own player's discs only if it has shown them before: in
// this case a power cut lost them before they were saved.
func (s *side) may(missing []disc) error {
	n := s.view.Discs()
	if n < s.settled {
		return conflict("%s discs were taken back by hand: nothing was changed", s.name)
	}
	for i, d := range missing {
		if d.player == s.player && n+i+1 > s.seen {
			return conflict("disc %d, %s in column %d, was dropped by hand on the other machine, not %s: nothing was changed",
				n+i+1, s.view.Match.Rules().Name(s.player), d.col+1, s.name)
		}
	}
	return nil
}

// rests reports whether the side is paused or dark, so that nobody is playing there.
func (s *side) rests() bool {
	p := s.view.Phase
	return p == game.Paused || p == game.Reading || p == game.Dark
}

// gone reports whether the linked match has ended on this side without a winner.
func (s *side) gone() bool {
	return s.view.ID != s.match || !s.view.UnderWay && s.view.Match.Winner() == board.Empty
}

// over reports whether the linked match has ended on this side, with or without a winner.
func (s *side) over() bool { return s.view.ID != s.match || !s.view.UnderWay }

// unlink forgets the linked match and the seat in it.
func (s *side) unlink() { s.match, s.token, s.seen, s.settled = "", "", 0, 0 }
