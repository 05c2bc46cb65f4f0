// Package socket has the server and the client of the service's socket: HTTP with JSON
// bodies over a Unix socket. The server plays the game through sessions, as every front does.
//
// doc/socket.md describes the protocol.
package socket

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/service/api"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/words"
)

// Options configure a [Server].
type Options struct {
	// As returns a session of the game whose events have a source: each connection, and each holder of a
	// seat, is a separate source.
	As func(game.Source) session.Session

	// Matches returns the given number of last finished matches, or all of them if last is 0,
	// the oldest first. The error is a [match.Damage] for each one that cannot be read.
	Matches func(last int) iter.Seq2[match.Finished, error]

	// Borrow lends the HAT until the context is done. It is nil if there is none.
	Borrow func(context.Context) (Loan, error)

	Setup  game.Setup // the defaults of a match, until [Server.Default]
	Status func() Machine
	Log    *slog.Logger
}

// The answer to GET /v1/status, and what it says about the service and its HAT.
type (
	Status  = api.State
	Machine = api.Machine
)

// Limits of the server. A page that many people use counts as one user.
const (
	maxConnections = 1024
	ownConnections = 512
	paceRate       = 500 // requests per second of a user, which is faster than eighty people press keys
)

// Limits that the server and the client share.
const (
	maxEvent  = 256 << 10 // bytes; enough for a thousand rounds
	maxAnswer = 16 << 20  // bytes; enough for all finished matches, of which the service keeps 4 MiB
	maxLast   = 10000     // finished matches that can be requested by number

	// patience is how long the server or the client waits for the next bytes from the other.
	patience = 5 * time.Second
)

// Server answers requests on the socket.
type Server struct {
	Options
	mux   *Mux
	user  func(net.Conn) string
	share Share
	began time.Time
	loan  atomic.Pointer[loan]       // the last one
	setup atomic.Pointer[game.Setup] // the defaults of a match

	encoding sync.Mutex // guards the view that was encoded last
	number   uint64
	encoded  json.RawMessage
}

// New returns a server that does not listen yet.
func New(o Options) *Server {
	s := &Server{
		Options: o, mux: NewMux(o.Log, http.StatusInternalServerError), user: peer, began: time.Now(),
		share: Share{All: maxConnections, Each: ownConnections, Limit: paceRate, Burst: paceRate},
	}
	s.Default(o.Setup)
	for _, pattern := range api.Plays {
		s.mux.Answer(pattern, s.play)
	}
	s.mux.Answer("GET /v1/status", s.play)
	s.mux.Answer("GET /v1/events", s.events)
	s.mux.Answer("POST /v1/admit", s.admit)
	s.mux.Answer("POST /v1/hat", s.lend)
	s.mux.Answer("PUT /v1/hat", s.draw)
	s.mux.Answer("GET /v1/matches", s.matches)
	return s
}

// Default changes the defaults of later matches.
func (s *Server) Default(setup game.Setup) { s.setup.Store(&setup) }

// Serve answers requests until the context is done, then closes the listener. It returns an error
// if the listener fails earlier.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	return Serve(ctx, s, patience, &Listener{Listener: l, Share: &s.share, User: s.user}, s.Log)
}

// ServeHTTP answers a request on one of the connections of [Server.Serve].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mux.Serve(w, r, func() error { return Wait(r.Context(), s.share.Pace(ConnOf(r).User)) })
}

// Headers of requests.
const (
	// TokenHeader has the token of a seat, or of a borrowed HAT.
	TokenHeader = "C4hat-Token"

	// PersonHeader is how a program that passes on the requests of several people tells them apart, and how a
	// [Client] stays the same person on another connection.
	PersonHeader = "C4hat-Person"

	// UntilHeader says when a request is too late to be carried out, in milliseconds on the server's clock,
	// which its streams of events tell. A person who has been told that a press failed presses again, so the
	// first press must never reach the game.
	UntilHeader = "C4hat-Until"

	// VoiceHeader marks a stream of events that is read aloud.
	VoiceHeader = "C4hat-Voice"
)

// source returns the source of a request: the holder of a seat, the person for whom a program asks, on
// whichever connection, or else the connection. Only the game knows whether a holder holds a seat.
func source(r *http.Request) game.Source {
	c := ConnOf(r)
	if tokens := r.Header.Values(TokenHeader); len(tokens) > 0 {
		return sourceOf(game.Holder, tokens[0])
	}
	person := cmp.Or(r.Header.Get(PersonHeader), fmt.Sprint("connection ", c.Number))
	return sourceOf(game.Client, c.User, person)
}

func sourceOf(kind game.SourceKind, who ...string) game.Source {
	sum := sha256.Sum256([]byte(strings.Join(who, "\x00")))
	return game.Source{Kind: kind, ID: binary.BigEndian.Uint64(sum[:]) >> 1}
}

// now is the time on the server's clock in milliseconds. Nobody can set this clock.
func (s *Server) now() int64 { return s.began.UnixMilli() + time.Since(s.began).Milliseconds() }

// beat returns a heartbeat: a comment with the time on the server's clock.
func (s *Server) beat() []byte { return fmt.Appendf(nil, ": %d\n\n", s.now()) }

// answerTime is how long the game may take to answer.
const answerTime = 2 * time.Second

// do passes an event to the game and returns the view after the event. The request's context does not count:
// it ends when the peer shuts down its sending side, which nc -N and socat do before they have the answer.
func (s *Server) do(r *http.Request, ev game.Event, from game.Source) (game.View, error) {
	left := answerTime
	if text := r.Header.Get(UntilHeader); text != "" {
		until, _ := strconv.ParseInt(text, 10, 64) // what is no number has passed
		left = min(left, time.UnixMilli(until).Sub(time.UnixMilli(s.now())))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), left)
	defer cancel()
	if ctx.Err() != nil {
		return game.View{}, Refuse(http.StatusServiceUnavailable, "the request comes too late, and is not carried out")
	}
	v, err := s.As(from).Do(ctx, ev)
	if err != nil && ctx.Err() != nil {
		return v, Refuse(http.StatusServiceUnavailable, "the game does not answer: see the service's log (journalctl -u c4hat)")
	}
	return v, refused(v, err, from)
}

// statuses has the HTTP status of each refusal of the game. Those that are missing have 409.
var statuses = map[*game.Refusal]int{
	game.ErrNoMatch:   http.StatusNotFound,
	game.ErrAdmitSoon: http.StatusTooManyRequests, game.ErrAdmitNobody: http.StatusBadRequest,
}

// refused turns a refusal of the game into one with a status and a code. Any other error is returned unchanged.
func refused(v game.View, err error, from game.Source) error {
	why, ok := errors.AsType[*game.Refusal](err)
	if !ok {
		return err
	}
	text := err.Error()
	switch rules, turn := v.Match.Rules(), v.Game.Position().Turn(); {
	case why != game.ErrNotYours:
	case v.Notice.Kind == game.NoticeTakenDisc:
		text = words.Notice(v.Notice)
	case from.Kind == game.Holder:
		text = fmt.Sprintf("it is %[1]s's turn, and the token is not %[1]s's", rules.Name(turn))
	default:
		text = words.Seat(rules, turn, v.Seats[turn-board.Red])
	}
	return &Refusal{Status: cmp.Or(statuses[why], http.StatusConflict), Code: why.Code, Reason: text}
}

// play handles every request that is an event for the game. It answers with the state after the event and, if
// the event takes a seat, the seat's token.
func (s *Server) play(_ http.ResponseWriter, r *http.Request, body []byte) (any, error) {
	ev, err := api.Event(r.Pattern, body, *s.setup.Load())
	if err != nil {
		return nil, err
	}
	from, token := source(r), ""
	start, _ := ev.(game.Start)
	if _, takes := ev.(game.Take); takes || start.Take.Player != board.Empty {
		token = rand.Text()
		from = sourceOf(game.Holder, token)
	}
	v, err := s.do(r, ev, from)
	if err != nil {
		return nil, err
	}
	if token == "" && ev != (game.Tick{}) {
		return s.encode(v), nil
	}
	state := api.NewState(v)
	if state.Token = token; token == "" {
		state.Machine = s.Status()
		state.Machine.Lent = s.loan.Load() != nil
	}
	return state, nil
}

// events handles GET /v1/events. A reader that is slower than the game misses views, but never the last.
func (s *Server) events(w http.ResponseWriter, r *http.Request, _ []byte) (any, error) {
	from := source(r)
	if r.Header.Get(VoiceHeader) != "" {
		ctx := context.WithoutCancel(r.Context())
		if _, err := s.As(from).Do(ctx, game.Voice{}); err != nil {
			return nil, err
		}
		defer func() { _, _ = s.As(from).Do(ctx, game.Voice{Gone: true}) }()
	}
	err := session.ErrEnded
	begun := sendEvents(w, r, s.beat, func(ctx context.Context, send func([]byte) bool) {
		for v, failed := range s.As(from).Views(ctx) { // for a seat's holder, the game counts who follows
			if failed != nil {
				err = refused(v, failed, from)
				return
			}
			if !send(eventOf(s.encode(v))) {
				return
			}
		}
	})
	if begun {
		return nil, nil
	}
	return nil, err
}

// encode returns the state that describes a view. All who ask for a view share one.
func (s *Server) encode(v game.View) json.RawMessage {
	s.encoding.Lock()
	defer s.encoding.Unlock()
	if v.Number != s.number || s.encoded == nil {
		s.number, s.encoded = v.Number, encode(api.NewState(v))
	}
	return s.encoded
}

// admit handles POST /v1/admit: the LEDs show a digit until somebody at the HAT answers. The head
// of the HTTP response is sent at once, and the body after the answer. If the client disconnects,
// the LEDs stop showing the digit.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, body []byte) (any, error) {
	var ask game.Admit
	if err := api.Decode(body, &ask); err != nil {
		return nil, err
	}
	from := source(r)
	v, err := s.do(r, ask, from)
	if err != nil {
		return nil, err
	}
	id := v.Admission.ID
	w.Header().Set("Content-Type", "application/json")
	_ = http.NewResponseController(w).Flush()
	for next, err := range s.As(from).Views(r.Context()) {
		if err != nil {
			break
		}
		if v = next; v.Admission.ID != id || v.Admission.Answer != game.Unanswered {
			break
		}
	}
	_, _ = s.As(from).Do(context.WithoutCancel(r.Context()), game.Withdraw{ID: id}) // in case the client has gone
	fmt.Fprintf(w, `{"admitted":%t}`+"\n", v.Admission.ID == id && v.Admission.Answer == game.Admitted)
	return nil, nil
}

// matches handles GET /v1/matches. It writes a match at a time, because all of them may be large.
func (s *Server) matches(w http.ResponseWriter, r *http.Request, _ []byte) (any, error) {
	last := 0 // all
	if r.URL.RawQuery != "" {
		var err error
		if last, err = strconv.Atoi(r.URL.Query().Get("last")); err != nil || last < 1 || last > maxLast {
			return nil, Refuse(http.StatusBadRequest, "last: use a number from 1 to %d", maxLast)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"matches":[`)
	comma := "\n"
	for entry, err := range s.Matches(last) {
		doc := []byte("null")
		if err == nil {
			doc = encode(entry)
		} else if bad, ok := errors.AsType[match.Damage](err); !ok || bad.Number == 0 {
			continue // no match has this place
		}
		if _, err := io.WriteString(w, comma+string(doc)); err != nil {
			return nil, nil
		}
		comma = ",\n"
	}
	_, _ = io.WriteString(w, "\n]}\n")
	return nil, nil
}
