package web

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/computer/analysis"
	"github.com/c4hat/c4hat/internal/service/api"
	"github.com/c4hat/c4hat/internal/service/socket"
)

const (
	maxMatches   = 1000
	analystTable = 16 << 20        // bytes
	longTime     = 2 * time.Minute // for an analysis, including the wait for others
)

// alone waits until no other request of the browser's share reads the history or analyses a game.
func (s *Server) alone(ctx context.Context, b browser) (leave func(), err error) {
	long := s.shares[b.paired].long
	select {
	case long <- struct{}{}:
		return func() { <-long }, nil
	case <-ctx.Done():
		return nil, tooLong
	}
}

var tooLong = socket.Refuse(http.StatusServiceUnavailable, "this takes too long here, or others come first: try again, or use c4hat analyse, which has no limit")

// matches handles GET /v1/matches?last=10. It answers with that many of the last finished matches,
// the oldest first, each with its rounds.
func (s *Server) matches(_ http.ResponseWriter, r *http.Request, _ []byte) (any, error) {
	last, err := strconv.Atoi(r.URL.Query().Get("last"))
	if err != nil || last < 1 || last > maxMatches {
		return nil, socket.Refuse(http.StatusBadRequest, "last: use a number from 1 to %d", maxMatches)
	}
	leave, err := s.alone(r.Context(), browserOf(r))
	if err != nil {
		return nil, err
	}
	defer leave()
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

// analyse handles POST /v1/analyse: it scores the position before and after each disc of a game.
func (s *Server) analyse(_ http.ResponseWriter, r *http.Request, body []byte) (any, error) {
	g, from, err := api.ReadAnalyse(body)
	if err != nil {
		return nil, socket.Refuse(http.StatusBadRequest, "%v", err)
	}
	ctx, cancel := context.WithTimeout(r.Context(), longTime)
	defer cancel()
	leave, err := s.alone(ctx, browserOf(r))
	if err != nil {
		return nil, err
	}
	defer leave()
	report := analysis.Report{Game: g}
	for d, err := range analysis.New(solver.Options{Table: analystTable}).Discs(ctx, g, from) {
		if ctx.Err() != nil {
			return nil, tooLong
		}
		if err != nil {
			return nil, err
		}
		report.Discs = append(report.Discs, d)
	}
	slices.Reverse(report.Discs)
	return report, nil
}
