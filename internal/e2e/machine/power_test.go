//go:build machine

package machine

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/control"
	"github.com/c4hat/c4hat/internal/e2e/uinput"
	"github.com/c4hat/c4hat/internal/game"
)

// The power goes in the middle of play, again and again. Every time the next boot goes
// on with the match: at most the disc in the air is lost. By turns the disk's write
// cache goes too.
func TestPowerCuts(t *testing.T) {
	t.Parallel()
	m := New(t, image(t))
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	chance := rand.New(rand.NewPCG(seed, 0))
	var last control.Status
	for cut := range *cuts + 1 {
		m.On(Power{Volatile: cut%2 == 1})
		m.AwaitStatus(bootsWithin, func(control.Status) bool { return true })
		s := m.Mirrors()
		if cut > 0 {
			t.Logf("cut %d: last seen %s %s, then %s %s", cut, id(last), moves(last), id(s), moves(s))
			m.goesOn(last, s)
		}
		if e := m.Run("sh", "-c", "ls /var/lib/c4hat; journalctl --boot --no-pager --unit=c4hat --priority=warning"); strings.Contains(e.Out, "damaged") {
			t.Errorf("something was damaged:\n%s", e.Out)
		}
		if last = s; cut == *cuts {
			break
		}
		// Not before a disc has been dropped, else there is nothing to lose.
		m.playOn(chance, func(now control.Status) bool { return len(moves(now)) > 0 && moves(now) != moves(s) })
		time.AfterFunc(time.Second+time.Duration(chance.Int64N(int64(8*time.Second))), m.kill)
		last = m.playOn(chance, func(control.Status) bool { return false })
		m.Cut()
	}
	// An orderly end and a boot are no different.
	m.Run("systemctl", "reboot")
	m.Ends(bootsWithin)
	m.On(Power{})
	m.AwaitStatus(bootsWithin, func(control.Status) bool { return true })
	m.goesOn(last, m.Mirrors())
}

// playOn plays for whoever's turn it is until that is enough, or the power has gone, and
// gives what the daemon said last.
func (m *Machine) playOn(chance *rand.Rand, enough func(control.Status) bool) (last control.Status) {
	sideways := [...]uinput.Key{uinput.Left, uinput.Right}
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); {
		s, err := m.Status()
		if err != nil {
			return last
		}
		if last = s; enough(s) {
			return last
		}
		var keys []uinput.Key
		time.Sleep(300 * time.Millisecond) // sooner, a drop is taken for a held key's
		switch s.Phase {
		case game.Aim.String():
			for range chance.IntN(4) {
				keys = append(keys, sideways[chance.IntN(2)])
			}
			keys = append(keys, uinput.Middle)
		case game.Attract.String(), game.Menu.String():
			keys = append(keys, uinput.Middle)
		}
		for _, k := range keys {
			if m.call("Tap", k, &struct{}{}, answersWithin) != nil {
				return last
			}
		}
	}
	m.t.Fatalf("nothing comes of playing on: %+v", last)
	return last
}

// goesOn compares what was seen last before the power went with what is there after.
func (m *Machine) goesOn(before, after control.Status) {
	m.t.Helper()
	if !before.UnderWay {
		return // what came of it was seen by nobody
	}
	was, is := moves(before), moves(after)
	switch {
	case id(before) == id(after) && strings.HasPrefix(is, was[:max(0, len(was)-1)]):
	case strings.Contains(m.Run("cat", "/var/lib/c4hat/matches.jsonl").Out, `"`+id(before)+`"`):
		// It was won in between.
	default:
		m.t.Errorf("match %s %q has become match %s %q", id(before), was, id(after), is)
	}
}

func id(s control.Status) string {
	if s.Match == nil {
		return "none"
	}
	return s.Match.ID
}
