// Package site runs the game for a page without a server. It answers the page's requests in the
// JSON of doc/socket.md, and sends the game's states to the page. Command wasm connects the package
// to JavaScript.
package site

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/c4hat/c4hat/board"
	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
	"github.com/c4hat/c4hat/internal/service/api"
	"github.com/c4hat/c4hat/internal/session"
	"github.com/c4hat/c4hat/internal/words"
)

// Page has the functions of the page that a game calls.
type Page struct {
	Show   func(state []byte)
	Save   func(match []byte) // replaces the saved match; match is empty if none is under way
	Finish func(match []byte) // adds to the list of finished matches
	Ask    Carry              // asks a [Brain]; only this function may block
}

// Game is a game that a page plays.
type Game struct {
	*session.Local
	page panel
}

// Run runs the game, as [session.Local.Run] does.
func (g *Game) Run(ctx context.Context) (*game.Game, error) { return g.Local.Run(ctx, g.page) }

var setup = game.Setup{Rules: board.Standard, Points: 2, First: board.FirstAlternate}

// New returns a game that does not run yet. It resumes a saved match if there is one.
func New(p Page, saved []byte, seed uint64) (*Game, error) {
	c := game.Config{Setup: setup, Seed: seed, Attract: true, Forever: true, Run: strconv.FormatUint(seed, 36)}
	var d match.Document
	_ = json.Unmarshal(saved, &d)
	r, err := d.Record()
	if err != nil { // nothing is saved, or another version saved it
		r = game.Record{}
	}
	s, err := game.Resume(c, r, time.Now())
	if err != nil {
		return nil, err
	}
	return &Game{session.New(s, session.Options{Computer: p.Ask, Keeper: panel{p}}), panel{p}}, nil
}

// panel shows the game's states to the page, and saves the game's matches there.
type panel struct{ Page }

func (p panel) Show(v game.View) error {
	if doc, err := json.Marshal(api.NewState(v)); err == nil {
		p.Page.Show(doc)
	}
	return nil
}

func (panel) Next(ctx context.Context) (game.Event, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (p panel) Save(s game.Save) {
	doc, _ := json.Marshal(s.Record.Document())
	p.Page.Save(doc)
}

func (p panel) Finish(r game.Record) {
	p.Page.Save(nil)
	if r.Begun() {
		doc, _ := json.Marshal(match.Finish(r, time.Now()))
		p.Page.Finish(doc)
	}
}

func (panel) Saved() <-chan game.Saved { return nil }

// You returns a document that tells the page what it may do, see [api.You].
func You() []byte {
	doc, _ := json.Marshal(api.You{Press: true, Alone: true, Levels: match.LevelNames()})
	return doc
}

// Ask answers a request of the page.
func (g *Game) Ask(ctx context.Context, method, path string, body []byte) (status int, answer []byte) {
	doc, status, err := g.answer(ctx, method+" /"+path, body)
	if err != nil {
		doc = map[string]string{"error": err.Error()}
	}
	answer, _ = json.Marshal(doc)
	return status, answer
}

func (g *Game) answer(ctx context.Context, request string, body []byte) (doc any, status int, err error) {
	ev, err := api.Event(request, body, setup)
	switch asked := ev.(type) {
	case game.Start:
		asked.Take = game.Take{} // a single page needs no seats
		ev = asked
	case nil, game.Tick, game.Take, game.Leave:
		if err == nil {
			return nil, 404, errors.New("there is no such request: " + words.Quote(request))
		}
	}
	if err != nil {
		return nil, 400, err
	}
	v, err := g.As(game.Source{Kind: game.Client}).Do(ctx, ev)
	if err != nil {
		return nil, 409, err
	}
	return api.NewState(v), 200, nil
}

// Past describes finished matches for the page. list has the matches as [Page.Finish] received
// them. Past leaves out matches that another version has saved in a form that this one cannot read.
func Past(list []byte) []byte {
	var docs []json.RawMessage
	_ = json.Unmarshal(list, &docs) // cannot fail: the page has made the list
	all := []api.Past{}
	for _, doc := range docs {
		var e match.Finished
		if json.Unmarshal(doc, &e) == nil {
			all = append(all, api.NewPast(e))
		}
	}
	answer, _ := json.Marshal(map[string]any{"matches": all})
	return answer
}
