package link

import (
	"context"
	"errors"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/control"
	"github.com/c4hat/c4hat/internal/game"
)

// side is one of the two machines. Only the goroutine of [Link.Run] touches it.
type side struct {
	link   *Link
	name   string
	player board.Disc // its joystick's; the link has the seat of the other

	client *control.Client // of its service; nil without a line
	token  string          // of the seat, empty without
	leave  context.CancelFunc
	stream int       // that counts; messages of earlier ones are late
	downs  int       // how often it went down; answers to requests from before are late
	up     bool      // the stream delivers
	view   game.View // the latest
	tries  int       // since it was up

	busy    bool      // a request is under way
	telling bool      // of the cursor or who is away: on a slow line no disc waits for it
	wait    time.Time // no other one before
	refused int       // attempts to take the seat

	started  string      // ID of the match that the link has started there
	expected string      // the same, until it shows
	match    string      // ID of the linked match
	past     game.Record // of a match that a service has finished and, started again, no longer shows
	seen     int         // discs of that match that it has ever shown
	settled  int         // discs that it has shown at rest and saved
	away     bool        // what the service was told of the other side
	pointed  [2]int      // the cursor that it was sent, from 1, and the number of discs then
}

// follow opens a stream of the service's views, with the token of the seat.
func (s *side) follow() {
	s.leave()
	s.stream++
	s.away = false // a new stream says that the holder is there
	if s.client == nil {
		return
	}
	ctx, cancel := context.WithCancel(s.link.life)
	s.leave = cancel
	stream, client := s.stream, s.client.Seated(s.token)
	go func() {
		for v, err := range client.Events(ctx) {
			s.link.send(func() {
				switch {
				case stream != s.stream: // another one counts by now
				case err != nil:
					s.lost(err)
				default:
					s.show(v)
				}
			})
		}
	}()
}

// show takes a view.
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

// lost handles the end of a stream: another one is opened later. Without a line there is
// nothing to open one on.
func (s *side) lost(err error) {
	if errors.Is(err, game.ErrNoSeat) { // the service has started again, or was slow to hear of us
		s.token = ""
		s.follow()
		return
	}
	s.down()
	s.link.later(s.link.Backoff(s.tries), func() {
		if !s.up {
			s.follow()
		}
	})
	s.tries++
}

// down says that the service does not answer.
func (s *side) down() {
	s.up, s.busy, s.telling = false, false, false
	s.stream++ // what is still under way does not count
	s.downs++
}

// request makes a request while no other one is under way.
func (s *side) request(what func(context.Context) error, then func(error)) {
	s.make(&s.busy, what, then)
}

// inform makes a request that changes no match. At most one is under way.
func (s *side) inform(what func(context.Context) error, then func(error)) {
	s.make(&s.telling, what, then)
}

// make makes a request, which is under way until then is called.
func (s *side) make(underWay *bool, what func(context.Context) error, then func(error)) {
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

// rest makes no request for a while.
func (s *side) rest(d time.Duration) {
	s.wait = time.Now().Add(d)
	s.link.later(d, func() {})
}

// again is how long the link waits for a press to show before it repeats it. A drop key within
// a quarter of a second of the last one is ignored.
const again = 300 * time.Millisecond

// drop drops a disc of the match. Of the side's own player it is one that was lost with the
// power, before it was on the disk.
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
	s.request(func(ctx context.Context) error {
		_, err := client.Press(ctx, game.Disc{Col: d.col, Number: number})
		return err
	}, func(error) { s.rest(again) }) // the stream shows what came of it
}

// end ends the match.
func (s *side) end() {
	if !s.ready() {
		return
	}
	client := s.client
	s.request(func(ctx context.Context) error {
		_, err := client.End(ctx)
		return err
	}, func(error) { s.rest(again) })
}

// point moves the cursor to where the other side's player has it.
func (s *side) point(col int) {
	want := [2]int{col + 1, s.view.Discs()}
	if s.token == "" || s.view.Phase != game.Aim || s.view.Cursor == col || s.pointed == want || s.telling {
		return
	}
	s.pointed = want
	client := s.client.Seated(s.token)
	s.inform(func(ctx context.Context) error {
		_, err := client.Press(ctx, game.Point{Col: col})
		return err
	}, func(error) {})
}

// tell tells the service whether the other side is there.
func (s *side) tell(away bool) {
	if s.token == "" || s.away == away || !s.up || s.telling {
		return
	}
	client := s.client.Seated(s.token)
	s.inform(func(ctx context.Context) error { return client.Away(ctx, away) }, func(err error) {
		if err == nil {
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
	token, client := "", s.client // that of now: a line may be lost meanwhile
	s.request(func(ctx context.Context) error {
		seated, err := client.TakeFinal(ctx, seat)
		token = seated.Token
		return err
	}, func(err error) {
		switch {
		case err == nil:
			s.token, s.refused = token, 0
			s.follow()
		case errors.Is(err, game.ErrTaken): // perhaps by us, before the line broke
			if s.refused++; s.refused > maxRefused {
				s.link.fail(conflict("%s's seat is taken by another client %s: end that client", seat, s.name))
				return
			}
			s.link.say("waiting for %s's seat %s", seat, s.name)
			s.rest(2 * time.Second)
		default:
			s.rest(time.Second)
		}
	})
}

// maxRefused is how often a seat may be refused: for longer than a holder that is gone keeps it.
const maxRefused = 30

// gone reports whether the linked match has ended here without a winner.
func (s *side) gone() bool {
	return s.view.ID != s.match || !s.view.UnderWay && s.view.Match.Winner() == board.Empty
}

// over reports whether nothing more can happen in the linked match here.
func (s *side) over() bool { return s.view.ID != s.match || !s.view.UnderWay }

// unlink forgets the linked match. Its seat is lost with it.
func (s *side) unlink() { s.match, s.token, s.seen, s.settled = "", "", 0, 0 }
