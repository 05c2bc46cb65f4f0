package game

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/c4hat/c4hat/board"
)

// Columns that are typed fast are played in order, as if each had been typed in its turn.
func TestTypedInOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 4))
	typed := 0
	for range 300 {
		p := newPlayer(t, scriptConfig(t, "points=1"))
		want, err := board.NewGame(board.Standard, board.Red)
		if err != nil {
			t.Fatal(err)
		}
		last := -1
		for range 42 {
			col := rng.IntN(board.Standard.Columns)
			if position := want.Position(); position.Outcome() != board.Playing || col == last {
				continue
			}
			last = col
			_ = want.Play(col) // a full column is refused
			p.step(Column{col})
			p.after(time.Duration(rng.IntN(50)) * time.Millisecond)
			typed++
		}
		p.after(board.MaxCells * time.Second / 2)
		if got := p.state.record.Rounds()[0]; got != want.String() {
			t.Fatalf("played %s, want %s", got, want)
		}
	}
	if typed < 3000 {
		t.Errorf("only %d columns typed", typed)
	}
}

// Clients that never stop sending columns leave room in the queue for the keys of this machine.
func TestTypedByClients(t *testing.T) {
	p := newPlayer(t, scriptConfig(t, "computer=red level=1"))
	for i := range 1000 {
		p.stepFrom(Column{i % 7}, Source{Client, uint64(i % 5)})
	}
	before := p.state.queue.n
	p.step(Press{Key: Left})
	if p.state.queue.n != before+1 {
		t.Errorf("no room after %d keys of clients", before)
	}
}

// If a key from another source makes a queued key take effect, that key still acts for its own
// source.
func TestTypedAheadOfAnother(t *testing.T) {
	p := seated(t, "4", board.Yellow)
	p.stepFrom(Column{0}, holdsYellow)
	p.step(Column{2})
	p.now = p.now.Add(time.Second) // yellow's disc has landed, but no event has reached the game since
	p.stepFrom(Column{5}, holdsYellow)
	if err := p.refusedWith(); err != nil || p.state.phase != Fall {
		t.Fatalf("%v in %v", err, p.state.phase)
	}
	p.settle()
	if got := p.state.record.Game.String(); got != "4136" {
		t.Errorf("played %s, want 4136", got)
	}
}
