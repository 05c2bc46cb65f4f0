package web

import (
	"context"
	"io"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/analysis"
	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/httplimit"
	"github.com/c4hat/c4hat/internal/quote"
	"github.com/c4hat/c4hat/internal/socket"
)

// pressedHeader is the name of the request header that says when somebody pressed, on this server's
// clock: the time of the last heartbeat, and how long ago it came.
const pressedHeader = "C4hat-Pressed"

// now is the time on the server's clock in milliseconds. Nobody can set this clock back.
func (s *Server) now() int64 { return s.began.UnixMilli() + time.Since(s.began).Milliseconds() }

// forward passes a request to the game's socket, and the answer back to the browser. The socket
// checks the body. After pressTime the page says that nothing came of a press, so neither this
// server nor the service may then carry it out, however long it was on its way.
func (s *Server) forward(w http.ResponseWriter, r *http.Request, body []byte) (any, error) {
	if r.URL.RawQuery != "" {
		return nil, httplimit.Refuse(http.StatusBadRequest, "%s takes no query", r.URL.Path)
	}
	left := pressTime
	if text := r.Header.Get(pressedHeader); text != "" {
		pressed, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, httplimit.Refuse(http.StatusBadRequest, "%s: %s is no time in milliseconds", pressedHeader, quote.Short(text))
		}
		left -= time.Duration(max(0, min(s.now()-pressed, pressTime.Milliseconds()))) * time.Millisecond
	}
	ctx, cancel := context.WithTimeout(r.Context(), left)
	defer cancel()
	b := browserOf(r)
	turn, err := s.presses.Enter(ctx, b.user)
	if err != nil {
		return nil, err
	}
	defer turn.Leave()
	began := time.Now()
	until, _ := ctx.Deadline()
	header := http.Header{
		socket.PersonHeader: {strconv.Itoa(b.user)},
		socket.UntilHeader:  {strconv.FormatInt(until.Add(-answerMargin).UnixMilli(), 10)},
	}
	got, err := s.Game.Seated(r.Header.Get(socket.TokenHeader)).Forward(ctx, r.Method, r.URL.Path, header, body)
	if err != nil {
		if r.Context().Err() == nil && time.Since(began) > answerMargin { // the service hangs
			s.suspect()
		}
		return nil, err
	}
	defer got.Body.Close()
	answer, err := io.ReadAll(got.Body) // the service is trusted
	if err != nil {
		return nil, err
	}
	turn.Leave() // before the browser reads the answer
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(got.StatusCode)
	_, _ = w.Write(answer) // the browser may have closed the connection
	return nil, nil
}

// matches handles GET /v1/matches?last=10. It answers with that many of the last finished matches,
// the oldest first, each with its rounds.
func (s *Server) matches(_ http.ResponseWriter, r *http.Request, _ []byte) (any, error) {
	last, err := strconv.Atoi(r.URL.Query().Get("last"))
	if err != nil || last < 1 || last > maxMatches {
		return nil, httplimit.Refuse(http.StatusBadRequest, "last: use a number from 1 to %d", maxMatches)
	}
	turn, err := s.reads.Enter(r.Context(), browserOf(r).user)
	if err != nil {
		return nil, err
	}
	defer turn.Leave()
	past, err := s.Game.Past(r.Context(), last)
	if err != nil {
		return nil, err
	}
	all := []api.Past{}
	for _, m := range past.Matches {
		all = append(all, api.NewPast(m))
	}
	return map[string]any{"matches": all}, nil
}

// analystTable is the memory for analyses, in bytes. It is freed when nobody needs it.
const analystTable = 16 << 20

// analyst analyses games for many browsers, one disc at a time, in turns.
type analyst struct {
	turns httplimit.Queue
	make  func() discs

	httplimit.Shared
	discs // nil if there are no users
}

// discs is an [analysis.Analyst].
type discs interface {
	Discs(context.Context, board.Game, int) iter.Seq2[analysis.Disc, error]
}

func newAnalyst() *analyst {
	return &analyst{turns: httplimit.Queue{Most: 1}, make: func() discs { return analysis.New(solver.Options{Table: analystTable}) }}
}

func (a *analyst) begin() (end func()) {
	a.discs = a.make()
	return func() { a.discs = nil }
}

// analyse handles POST /v1/analyse: it scores the position before and after each disc of a game. For
// strangers it uses at most half of a processor.
func (s *Server) analyse(_ http.ResponseWriter, r *http.Request, body []byte) (any, error) {
	g, from, err := api.ReadAnalyse(body)
	if err != nil {
		return nil, httplimit.Refuse(http.StatusBadRequest, "%v", err)
	}
	ctx, cancel := context.WithTimeout(r.Context(), analyseTime)
	defer cancel()
	b := browserOf(r)
	a := s.analysts[b.paired]
	defer a.Use(a.begin)()
	turn, err := a.turns.Enter(ctx, b.user)
	if err != nil {
		return nil, tooLong
	}
	defer turn.Leave()
	began := time.Now()
	report := analysis.Report{Game: g}
	for d, err := range a.Discs(ctx, g, from) {
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
		if !b.paired {
			select {
			case <-time.After(time.Since(began)):
			case <-ctx.Done():
			}
		}
		if turn.Yield(ctx) != nil || err != nil {
			return nil, tooLong
		}
		report.Discs = append(report.Discs, d)
		began = time.Now()
	}
	slices.Reverse(report.Discs)
	return report, nil
}

var tooLong = httplimit.Refuse(http.StatusServiceUnavailable, "the analysis takes too long here, or others come first: try again, or c4hat analyse, which has no limit")
