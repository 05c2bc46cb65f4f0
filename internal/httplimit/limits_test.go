package httplimit

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// When all places are taken, a newcomer gets the oldest place of the user who has most, but not one
// that is kept or has just been taken.
func TestEviction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := Places{Most: 40, Each: 20, Hold: time.Second}
		var gone []int
		number := 0
		take := func(user int) *Place {
			number++
			n := number
			return p.Take(user, func() { gone = append(gone, n) })
		}
		for range 20 {
			take(1) // 1 to 20
		}
		kept := take(2) // 21
		kept.Keep()
		for user := range 19 {
			take(10 + user) // 22 to 40
		}
		if take(3) != nil {
			t.Error("a place that has just been taken is given away")
		}
		if take(1) != nil {
			t.Error("a user has more than the share")
		}
		time.Sleep(time.Second)
		for take(3) != nil {
		}
		if want := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}; !slices.Equal(gone, want) {
			t.Errorf("the places of %v are given away, want %v", gone, want)
		}
		time.Sleep(time.Second)
		for user := range 30 {
			take(100 + user)
		}
		if len(gone) != 40 || slices.Contains(gone, 21) {
			t.Errorf("the places of %v are given away, want all others than 21", gone)
		}
		kept.Leave()
		kept.Leave()
		if take(4) == nil {
			t.Error("a place that is left is not free")
		}
	})
}

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

// A user who comes late waits for one turn, however many others ask again at once.
func TestQueueIsFair(t *testing.T) {
	for _, took := range []time.Duration{time.Millisecond, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			q := Queue{Most: 2}
			ctx, cancel := context.WithCancel(t.Context())
			turns := make([]int, 10)
			for user := range turns {
				for range 3 { // connections
					go func() {
						for ctx.Err() == nil {
							turn, err := q.Enter(ctx, user)
							if err != nil {
								return
							}
							turns[user]++
							time.Sleep(took)
							turn.Leave()
						}
					}()
				}
			}
			time.Sleep(100 * took)
			for range 100 {
				time.Sleep(5 * took)
				synctest.Wait()
				began := time.Now()
				turn, err := q.Enter(ctx, 100)
				if err != nil || time.Since(began) > took {
					t.Errorf("waited %v, %v", time.Since(began), err)
				}
				turn.Leave()
			}
			cancel()
			time.Sleep(2 * took)
			synctest.Wait()
			for user, n := range turns {
				if n < turns[0]*9/10-2 || n > turns[0]*11/10+2 {
					t.Errorf("user %d had %d turns, the first %d", user, n, turns[0])
				}
			}
			if len(q.waiting) > 0 || len(q.inside) > 0 || len(q.used) > 0 {
				t.Errorf("left behind: %+v", &q)
			}
		})
	}
}

// Users who have already had a turn get another one, even if new users come without end.
func TestQueueNewcomers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := Queue{Most: 1}
		ctx, cancel := context.WithCancel(t.Context())
		use := func(user int) {
			turn, err := q.Enter(ctx, user)
			if err == nil {
				time.Sleep(time.Second)
				turn.Leave()
			}
		}
		go func() {
			for user := 1; ctx.Err() == nil; user++ {
				go use(user)
				time.Sleep(time.Second)
			}
		}()
		for range 10 {
			began := time.Now()
			use(0)
			if waited := time.Since(began); waited > time.Minute {
				t.Errorf("waited %v", waited)
			}
			if len(q.used) > 200 {
				t.Errorf("%d users are remembered", len(q.used))
			}
		}
		cancel()
		time.Sleep(2 * time.Second)
	})
}

// One user has one turn at a time, and a user who stops waiting is let in no more.
func TestQueueLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := Queue{Most: 2}
		turn, _ := q.Enter(t.Context(), 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := q.Enter(ctx, 1); err == nil {
			t.Error("two turns at a time")
		}
		turn.Leave()
		turn.Leave()
		if len(q.waiting) > 0 || len(q.inside) > 0 {
			t.Errorf("left behind: %+v", &q)
		}
		if _, err := q.Enter(t.Context(), 1); err != nil {
			t.Error(err)
		}
	})
}
