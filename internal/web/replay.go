package web

import (
	"context"
	"net/http"
	"strconv"

	"github.com/c4hat/c4hat/board/solver"
	"github.com/c4hat/c4hat/internal/analysis"
	"github.com/c4hat/c4hat/internal/api"
	"github.com/c4hat/c4hat/internal/httplimit"
)

// analystTable is the memory for an analysis, in bytes. It is freed after the analysis.
const analystTable = 16 << 20

// matches handles GET /v1/matches?last=10. It answers with that many of the last finished matches,
// the oldest first, each with its rounds.
func (s *Server) matches(w http.ResponseWriter, r *http.Request, _ []byte) error {
	last, err := strconv.Atoi(r.URL.Query().Get("last"))
	if err != nil || last < 1 || last > maxMatches {
		return httplimit.Refuse(http.StatusBadRequest, "last: want a number from 1 to %d", maxMatches)
	}
	done, err := s.ask(r)
	if err != nil {
		return err
	}
	defer done()
	all := []api.Past{}
	for e, err := range browserOf(r).game.Matches(r.Context(), last) {
		if err != nil {
			return err
		}
		all = append(all, api.NewPast(e))
	}
	s.http.Answer(w, http.StatusOK, map[string]any{"matches": all})
	return nil
}

// analyse handles POST /v1/analyse: it scores the position before and after each disc of a game.
// It analyses one game at a time; other requests wait.
func (s *Server) analyse(w http.ResponseWriter, r *http.Request, body []byte) error {
	g, from, err := api.ReadAnalyse(body)
	if err != nil {
		return httplimit.Refuse(http.StatusBadRequest, "%v", err)
	}
	ctx, cancel := context.WithTimeout(r.Context(), analyseTime)
	defer cancel()
	select {
	case s.analysing <- struct{}{}:
		defer func() { <-s.analysing }()
	case <-ctx.Done():
		return httplimit.Refuse(http.StatusServiceUnavailable, "other games are being analysed: try again")
	}
	report, err := analysis.New(solver.Options{Table: analystTable}).Report(ctx, g, from, nil)
	if err != nil {
		if ctx.Err() != nil {
			return httplimit.Refuse(http.StatusServiceUnavailable, "the analysis takes too long on this machine: c4hat analyse has no limit")
		}
		return err
	}
	s.http.Answer(w, http.StatusOK, report)
	return nil
}
