package plain

import (
	"context"
	"fmt"
	"time"

	"github.com/c4hat/c4hat/internal/game"
)

// settle advances the time until a player must choose, and describes what happens.
func (p *player) settle() error {
	fell := false
	falls := func() {
		if v := p.view(); v.Phase == game.Fall {
			fell = true
			p.say("%s", game.MoveText(v.Game, v.Computer))
		}
	}
	falls()
	for !p.over {
		v := p.view()
		switch v.Phase {
		case game.Thinking:
			if err := p.choose(); err != nil {
				return err
			}
		case game.Fall:
			if err := p.await(); err != nil {
				return err
			}
		case game.Aim:
			if fell {
				p.showBoard()
			}
			return nil
		case game.Menu:
			p.matches++
			p.step(game.Press{Key: game.Middle}) // a rematch
			continue
		}
		next, ok := p.state.Next(p.now)
		if !ok {
			return nil
		}
		p.now = next
		p.step(game.Tick{})
		if v.Phase == game.Thinking {
			falls()
		}
		p.tell(v.Phase)
	}
	return nil
}

// await waits until the disc is saved, as long as the game would.
func (p *player) await() error {
	if p.saving == 0 {
		return nil
	}
	if err := p.Flush(); err != nil { // it may take a while
		return fmt.Errorf("writing: %w", err)
	}
	for late := time.After(time.Second); p.saving != 0; {
		select {
		case id := <-p.Saved:
			p.step(game.Saved{ID: id})
			if id >= p.saving {
				p.saving = 0
			}
		case <-late:
			p.saving = 0
		case <-p.ctx.Done():
			return context.Cause(p.ctx)
		}
	}
	return nil
}

// choose lets the computer choose, unless it already has.
func (p *player) choose() error {
	if p.think == nil {
		return nil
	}
	think := *p.think
	p.think = nil
	if err := p.Flush(); err != nil { // it may take a while
		return fmt.Errorf("writing: %w", err)
	}
	col, err := p.Think(p.ctx, think)
	switch {
	case p.ctx.Err() != nil:
		return context.Cause(p.ctx)
	case err != nil:
		p.step(game.ThinkFailed{ID: think.ID})
	default:
		p.step(game.Chosen{ID: think.ID, Col: col})
	}
	return nil
}

// tell describes a change of phase.
func (p *player) tell(before game.Phase) {
	v := p.view()
	position := v.Game.Position()
	switch {
	case v.Phase == before:
	case v.Phase == game.Cheer, v.Phase == game.Drawn:
		p.showBoard()
		p.say("%s", game.RoundText(v.Match, position.Outcome()))
	case v.Phase == game.Victory:
		if person := game.PersonText(v.Match, v.Computer); person != "" {
			p.say("%s", person)
		}
		p.say("%s", game.MatchText(v.Match))
	}
}
