package httplimit

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

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
