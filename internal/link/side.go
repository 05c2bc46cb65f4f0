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

	client *socket.Client     // of its service; nil without a connection
	token  string             // of the seat; empty: none
	leave  context.CancelFunc // ends the stream; later messages from it are ignored
	downs  int                // how often the service went down; answers to earlier requests are ignored
	up     bool               // the stream delivers views
	view   game.View          // the latest
	tries  int                // failed streams since up was last true

	busy    bool      // a request is under way
	telling bool      // a request of point or tell is under way; discs do not wait for it
	wait    time.Time // no request is made before this time
	refused int       // failed attempts to take the seat

	started  string      // ID of the match that the link has started on this side
	expected string      // ID of that match until the service shows it
	match    string      // ID of the linked match
	past     game.Record // the linked match, if the service has finished it and was restarted
	seen     int         // the most discs of that match that the service has shown
	settled  int         // the most discs that it has shown when all were saved and none was falling
	away     bool        // the service was told that the other side is paused, dark or disconnected
	pointed  [2]int      // the last cursor sent to the service (a column from 1), and the number of discs at that time
}

// follow opens a stream of the service's views, with the token of the seat.
func (s *side) follow() {
	s.leave()
	// The first view sets s.up to true. A new stream tells the service that the seat's holder is
	// there.
	s.up, s.away = false, false
	if s.client == nil {
		return
	}
	ctx, cancel := context.WithCancel(s.link.life)
	s.leave = cancel
	client := s.client.Seated(s.token)
	go func() {
		for v, err := range client.Events(ctx) {
			s.link.send(func() {
				switch {
				case ctx.Err() != nil: // the side has left this stream
				case err != nil:
					s.lost(err)
				default:
					s.show(v)
				}
			})
		}
	}()
}

// show stores a view, and counts the linked match's discs in it.
func (s *side) show(v game.View) {
	s.up, s.tries, s.view = true, 0, v
	if v.ID == "" && s.past.ID != "" && s.past.ID == s.match {
		s.view.Record = s.past
	}
	if v.ID == s.expected {
		s.expected = ""
	}
	if n := v.Discs(); v.ID == s.match {
		s.seen = max(s.seen, n)
		if v.Phase != game.Fall && !v.Unsaved {
			s.settled = max(s.settled, n)
		}
	}
}

// lost handles the end of a stream. It opens another one, at once or after a pause, if there is a
// connection.
func (s *side) lost(err error) {
	if errors.Is(err, game.ErrNoSeat) { // the service was restarted, or has since opened the seat
		s.token = ""
		s.follow()
		return
	}
	s.down()
	s.link.later(backoff(s.tries), func() {
		if !s.up {
			s.follow()
		}
	})
	s.tries++
}

// down notes that the service does not answer.
func (s *side) down() {
	s.up, s.busy, s.telling = false, false, false
	s.leave() // messages that are still under way are ignored
	s.downs++
}

// request makes a request, and passes its error to then. While the request is under way, *underWay
// is true. underWay is &s.telling for point and tell, and &s.busy for all other requests. If the
// service goes down before it answers, then is not called.
func (s *side) request(underWay *bool, what func(context.Context) error, then func(error)) {
	*underWay = true
	downs, token := s.downs, s.token
	go func() {
		ctx, cancel := context.WithTimeout(s.link.life, requestTime)
		defer cancel()
		err := what(ctx)
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

// requestTime is how long a request may take.
const requestTime = 10 * time.Second

// ready reports whether a request may be made.
func (s *side) ready() bool { return s.up && !s.busy && !time.Now().Before(s.wait) }

// rest delays the next request.
func (s *side) rest(d time.Duration) {
	s.wait = time.Now().Add(d)
	s.link.later(d, func() {})
}

// again is how long the link waits for the effect of a press before it repeats the press. The
// game ignores a drop key within a quarter of a second of the last one.
const again = 300 * time.Millisecond

// drop drops a disc of the linked match on this side. number is the disc's number in the match,
// from 1. If the disc is one of the side's own player, a power cut lost it before it was saved.
func (s *side) drop(d disc, number int) {
	client := s.client.Seated(s.token)
	if d.player == s.player {
		client = s.client
	} else if s.token == "" {
		return
	}
	switch s.view.Phase {
	case game.Fall, game.Thinking, game.Paused:
		return
	}
	if !s.ready() {
		return
	}
	s.request(&s.busy, func(ctx context.Context) error {
		_, err := client.Do(ctx, game.Disc{Col: d.col, Number: number})
		return err
	}, func(error) { s.rest(again) }) // the stream shows whether the disc fell
}

// end ends the match.
func (s *side) end() {
	if !s.ready() {
		return
	}
	client := s.client
	s.request(&s.busy, func(ctx context.Context) error {
		_, err := client.End(ctx)
		return err
	}, func(error) { s.rest(again) })
}

// point moves the cursor to the column where the player on the other side has it.
func (s *side) point(col int) {
	want := [2]int{col + 1, s.view.Discs()}
	if s.token == "" || s.view.Phase != game.Aim || s.view.Cursor == col || s.pointed == want || s.telling {
		return
	}
	s.pointed = want
	client := s.client.Seated(s.token)
	s.request(&s.telling, func(ctx context.Context) error {
		_, err := client.Do(ctx, game.Point{Col: col})
		return err
	}, func(error) {})
}

// tell tells the service whether the other side is paused, dark or disconnected.
func (s *side) tell(away bool) {
	if s.token == "" || s.away == away || !s.up || s.telling {
		return
	}
	client, token := s.client.Seated(s.token), s.token
	s.request(&s.telling, func(ctx context.Context) error {
		_, err := client.Do(ctx, game.Reachable{Is: !away})
		return err
	}, func(err error) {
		if err == nil && token == s.token {
			s.away = away
		}
	})
}

// take takes the other player's seat.
func (s *side) take() {
	if s.token != "" || !s.ready() || !s.view.UnderWay || s.view.ID != s.match {
		return
	}
	seat := s.view.Match.Rules().Name(s.player.Other())
	token, client := "", s.client // s.client changes if the connection is lost during the request
	s.request(&s.busy, func(ctx context.Context) error {
		seated, err := client.TakeSeat(ctx, api.SeatRequest{Seat: seat, Final: true})
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

// gone reports whether the linked match has ended on this side without a winner.
func (s *side) gone() bool {
	return s.view.ID != s.match || !s.view.UnderWay && s.view.Match.Winner() == board.Empty
}

// over reports whether the linked match has ended on this side, with or without a winner.
func (s *side) over() bool { return s.view.ID != s.match || !s.view.UnderWay }

// unlink forgets the linked match and the seat in it.
func (s *side) unlink() { s.match, s.token, s.seen, s.settled = "", "", 0, 0 }
