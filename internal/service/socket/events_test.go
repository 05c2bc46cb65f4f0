package socket

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/c4hat/c4hat/internal/game"
	"github.com/c4hat/c4hat/internal/service/api"
)

// reader reads a stream of events.
type reader struct{ *bufio.Reader }

func (b *bench) follow(user string) (reader, net.Conn) {
	conn := b.dial(user, askEvents)
	return reader{bufio.NewReader(conn)}, conn
}

// next returns the next view.
func (r reader) next() (game.View, error) {
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return game.View{}, err
		}
		if doc, ok := strings.CutPrefix(line, "data: "); ok {
			var s api.State
			err := json.Unmarshal([]byte(doc), &s)
			return s.View, err
		}
	}
}

// A reader gets the current state first, then every change once, and nothing else. Every five seconds it is told
// the time on the server's clock, which a press may name as its limit.
func TestEvents(t *testing.T) {
	inside(t, nil, func(b *bench) {
		events, _ := b.follow("a")
		for range 5 {
			if v, err := events.next(); err != nil || v != b.hat() {
				t.Errorf("%+v, %v, want %+v", v, err, b.hat())
			}
			b.hat(game.Press{Key: game.Left})
		}
		_, _ = events.next()
		beats := []int64{}
		began := time.Now()
		for time.Since(began) < time.Hour { // a reader is not dropped if nothing happens
			line, err := events.ReadString('\n')
			must(t, err)
			var at int64
			if n, _ := fmt.Sscanf(line, ": %d", &at); n == 1 {
				beats = append(beats, at)
			} else if strings.HasPrefix(line, "data") {
				t.Errorf("%s without a change", line)
			}
		}
		last := beats[len(beats)-1]
		if n := int64(len(beats)); n < 700 || last-beats[0] != (n-1)*heartbeat.Milliseconds() {
			t.Errorf("%d beats in an hour, in %d ms", n, last-beats[0])
		}
		for until, want := range map[int64]int{beats[0]: 503, last + 10_000: 200} {
			if status, text := answer(b.dial("a", strings.Replace(askLeft, "\r\n", fmt.Sprintf("\r\nC4hat-Until: %d\r\n", until), 1))); status != want {
				t.Errorf("until %d: %d %s", until, status, text)
			}
		}
	})
}

// The pause screen offers to read the board while a voice has a stream open.
func TestVoice(t *testing.T) {
	inside(t, nil, func(b *bench) {
		b.hat(game.Pause)
		follow(b, b.client("a"), time.Hour)
		follow(b, b.client("a").Voice(), time.Minute)
		follow(b, b.client("b").Voice(), 2*time.Minute)
		for _, want := range []bool{true, true, false} {
			synctest.Wait()
			if items := b.hat().Choices.All(); slices.Contains(items, "read") != want {
				t.Errorf("%q offers to read, want %v", items, want)
			}
			time.Sleep(time.Minute + time.Second)
		}
	})
}

// A stopped reader is dropped after ten seconds, and one that disconnects at once, even if nothing changes. The
// game never waits, and another reader gets the last view.
func TestSlowReaders(t *testing.T) {
	inside(t, nil, func(b *bench) {
		good, _ := b.follow("good")
		slow, _ := b.follow("slow")
		gone, conn := b.follow("gone")
		for _, r := range []reader{good, slow, gone} {
			_, err := r.next()
			must(t, err)
		}
		conn.Close()
		synctest.Wait()
		before := time.Now()
		for i := range 200 {
			want := b.hat(game.Press{Key: []game.Key{game.Left, game.Right}[i%2]})
			for v := want; ; {
				if v, _ = good.next(); v == want {
					break
				}
			}
		}
		if time.Since(before) != 0 {
			t.Errorf("the game took %v", time.Since(before))
		}
		if n := b.server.share.count(); n != 2 {
			t.Errorf("%d readers before the deadline", n)
		}
		go func() { _, _ = io.Copy(io.Discard, good) }()
		time.Sleep(readTime)
		synctest.Wait()
		if n := b.server.share.count(); n != 1 {
			t.Errorf("%d readers are kept, want the good one", n)
		}
	})
}

// count returns how many places are taken.
func (p *Share) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken
}
