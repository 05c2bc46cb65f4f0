package main

import (
	"slices"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/internal/game"
)

// turn does what people do in the current phase.
func (s *soak) turn() {
	switch v := s.now(); v.Phase {
	case game.Menu:
		s.choose()
	case game.Aim:
		s.aim(v)
	case game.Paused:
		s.hat.Tap(hat.Middle) // resumes, unless another icon is selected
	case game.Attract, game.Dark, game.Hinting:
		s.hat.Tap(hat.Middle)
	case game.Cheer, game.Score, game.Victory, game.Drawn:
		if s.rng.IntN(2) == 0 {
			s.hat.Tap(hat.Down)
		}
	}
	if s.rng.IntN(50) == 0 { // a random key
		s.hat.Tap(hat.Key(1 + s.rng.IntN(5)))
	}
}

// choose starts a match, usually between two people, otherwise against a level that replies at
// once.
func (s *soak) choose() {
	page, want := "menu", "two players"
	switch n := s.rng.IntN(5000); {
	case n == 0:
		page, want = "computer", "perfect"
	case n < 3:
		page, want = "computer", "hard"
	case n < 100:
		page, want = "computer", "medium"
	case n < 1000:
		page, want = "computer", "easy"
	case n < 1500:
		page, want = "computer", "beginner"
	case n < 2000:
		page, want = "computer", "novice"
	case n < 2500:
		page = "8x8"
	}
	find := func(want string) {
		for range 10 {
			v := s.now()
			if v.Phase != game.Menu || v.Choices.Name() == want {
				break
			}
			key := hat.Right
			if slices.Index(v.Choices.All(), want) < v.Choices.Chosen { // some lists have ends
				key = hat.Left
			}
			s.hat.Tap(key)
		}
	}
	if v := s.now(); v.Phase == game.Menu && v.Choices.Page != "menu" {
		s.hat.Tap(hat.Up)
	}
	if page != "menu" {
		find(page)
		s.hat.Tap(hat.Down)
	}
	find(want)
	s.hat.Tap(hat.Down)
}

// aim drops a disc that wins, if there is one, and otherwise a random disc. So games are short and
// varied.
func (s *soak) aim(v game.View) {
	p := v.Game.Position()
	col := s.rng.IntN(p.Rules().Columns)
	for c := range p.LegalMoves() {
		if p.Threats(p.Turn()).Has(c, p.Height(c)) {
			col = c
		}
	}
	if s.rng.IntN(20) == 0 { // hold the key
		s.hat.Press(hat.Right)
		for range s.rng.IntN(10) {
			time.Sleep(40 * time.Millisecond)
			s.hat.Hold(hat.Right)
		}
		s.hat.Release(hat.Right)
	}
	for range 8 {
		at := s.now().Cursor
		if at == col {
			break
		}
		if at < col {
			s.hat.Tap(hat.Right)
		} else {
			s.hat.Tap(hat.Left)
		}
	}
	s.hat.Tap(hat.Middle)
}
