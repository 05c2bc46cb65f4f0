package httplimit

import (
	"testing"
	"testing/synctest"
	"time"
)

// A user who never stops making requests gets a fixed number of answers per second, and does not
// delay other users.
func TestPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := Pace{Limit: 100, Burst: 50}
		began := time.Now()
		for range 50 + 10*100 {
			if err := p.Of(1).Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(began).Round(time.Second); took != 10*time.Second {
			t.Errorf("it took %v, want 10s", took)
		}
		began = time.Now()
		if err := p.Of(2).Wait(t.Context()); err != nil || time.Since(began) > 0 {
			t.Errorf("the other user waited for %v, %v", time.Since(began), err)
		}
	})
}

// Of very many users, Pace remembers only those who have just made a request.
func TestPaceForgets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := Pace{Limit: 100, Burst: 50}
		ask := func(user int) {
			t.Helper()
			if err := p.Of(user).Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for user := range maxRemembered {
			ask(user)
		}
		time.Sleep(time.Second)
		for range p.Burst {
			ask(0)
		}
		began := time.Now()
		ask(maxRemembered)
		if n := len(p.of); n != 2 {
			t.Errorf("%d users are remembered, want those who have just asked", n)
		}
		if ask(0); time.Since(began) == 0 {
			t.Error("one of them is not delayed")
		}
	})
}
