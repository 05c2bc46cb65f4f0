package socket

import (
	"io"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/match"
)

const askMatches = "GET /v1/matches?last=3 HTTP/1.1\r\nHost: x\r\n\r\n"

// Only one request at a time reads the history. A request whose peer has disconnected reads nothing.
func TestMatchesInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, game.Config{})
		o, all := g.options(t), history(t, 5)
		asked, reading, most := 0, 0, 0
		goOn := make(chan struct{})
		o.Matches = func(last int) iter.Seq2[match.Finished, error] {
			if last != 3 {
				t.Errorf("the last %d are read", last)
			}
			return func(yield func(match.Finished, error) bool) {
				asked++
				reading++
				most = max(most, reading)
				<-goOn
				all(last)(yield)
				reading--
			}
		}
		l := newPipes()
		end := servePipes(t, o, l)
		defer end()
		answered := make(chan int)
		for i := range 6 {
			conn := l.dial()
			defer conn.Close()
			if i%2 == 0 {
				go func() {
					status, _ := talk(t, conn, askMatches)
					answered <- status
				}()
			} else {
				go func() { _, _ = io.WriteString(conn, askMatches) }()
			}
			synctest.Wait()
			if i%2 == 1 {
				conn.Close()
			}
		}
		if asked != 1 {
			t.Errorf("%d read at once", asked)
		}
		for range 3 {
			synctest.Wait()
			goOn <- struct{}{}
			if status := <-answered; status != 200 {
				t.Error(status)
			}
		}
		synctest.Wait()
		if asked != 3 || most != 1 {
			t.Errorf("%d times read, %d at once", asked, most)
		}
	})
}

// A slow reader of a long history delays neither other readers nor the shutdown of the server.
func TestMatchesSlowReader(t *testing.T) {
	o := newTable(t, game.Config{}).options(t)
	o.Matches = history(t, 5000)
	piped(t, o, func(t *testing.T, l *pipes, end func()) {
		slow := l.dial()
		defer slow.Close()
		if _, err := io.WriteString(slow, "GET /v1/matches HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		before := time.Now()
		for range 3 {
			conn := l.dial()
			if status, text := talk(t, conn, askMatches); status != 200 || time.Since(before) > 0 {
				t.Errorf("%d after %v: %s", status, time.Since(before), text)
			}
			conn.Close()
		}
		end()
		if took := time.Since(before); took > shutdownTime {
			t.Errorf("the end took %v", took)
		}
	})
}
