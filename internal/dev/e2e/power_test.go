//go:build machine

package e2e

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
	"github.com/c4hat/c4hat/internal/dev/e2e/uinput"
)

// The power fails repeatedly during play. Each boot resumes the match; at most the disc in mid-air
// is lost. The first and then every second cut also loses the disk's write cache.
func TestPowerCuts(t *testing.T) {
	t.Parallel()
	m := Booted(t, image(t), Power{Volatile: true})
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	chance := rand.New(rand.NewPCG(seed, 0))
	var last Status
	for cut := range *cuts + 1 {
		if cut > 0 {
			m.On(Power{Volatile: cut%2 == 0})
		}
		m.AwaitStatus(anyStatus)
		s := m.Mirrors()
		if cut > 0 {
			t.Logf("cut %d: last seen %s %s, then %s %s", cut, last.id(), last.moves(), s.id(), s.moves())
			m.resumes(last, s)
		}
		if e := m.Run("sh", "-c", "ls /var/lib/c4hat; journalctl --boot --no-pager --unit=c4hat --priority=warning"); strings.Contains(e.Out, "damaged") {
			t.Errorf("something was damaged:\n%s", e.Out)
		}
		if last = s; cut == *cuts {
			break
		}
		// Wait for a first disc, so that there is something to lose.
		m.playOn(chance, func(now Status) bool { return len(now.moves()) > 0 && now.moves() != s.moves() })
		time.AfterFunc(time.Second+time.Duration(chance.Int64N(int64(8*time.Second))), m.kill)
		last = m.playOn(chance, func(Status) bool { return false })
		m.Cut()
	}
	// After a clean shutdown or reboot the match resumes too. The LEDs are dark, and the file
	// systems are clean. The voice, which is enabled, starts after the service.
	m.sh("systemctl enable --now c4hat-speech")
	for end := range *ends {
		m.Run("systemctl", []string{"reboot", "poweroff"}[end%2])
		m.Ends()
		if got := strings.Count(m.log(), standin.EndsDark); got != end+1 {
			t.Fatalf("dark after %d of %d ends", got, end+1)
		}
		m.On(Power{})
		m.AwaitStatus(anyStatus)
		s := m.Mirrors()
		m.resumes(last, s)
		m.early(t)
		var service, voice int
		m.says("red |yellow |nobody", 1)
		e := m.Run("sh", "-c", unitTime("c4hat.service", "ActiveEnter")+"; "+unitTime("c4hat-speech.service", "ExecMainStart"))
		if _, err := fmt.Sscan(e.Out, &service, &voice); err != nil || voice < service {
			t.Errorf("the service is ready at %d µs, the voice starts at %d: %v", service, voice, err)
		}
		if e := m.Run("sh", "-c", "journalctl --dmesg --boot --no-pager | grep -E 'EXT4-fs.*(error|warning|recovery|orphan)'"); e.Out != "" {
			t.Errorf("the file system: %s", e.Out)
		}
		if end+1 < *ends {
			last = m.playOn(chance, func(now Status) bool { return now.UnderWay && len(now.moves()) > 0 && now.moves() != s.moves() })
			t.Logf("end %d: %s %s", end+2, last.id(), last.moves())
		}
	}
}

// log returns what was written to the console since the machine was created.
func (m *Machine) log() string {
	b, err := os.ReadFile(m.path("log"))
	if err != nil {
		m.t.Fatal(err)
	}
	return string(b)
}

// playOn plays for both players until enough returns true or the power is cut, and
// returns the last status.
func (m *Machine) playOn(chance *rand.Rand, enough func(Status) bool) (last Status) {
	sideways := [...]uinput.Key{uinput.Left, uinput.Right}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		s, err := m.Status()
		if err != nil {
			return last
		}
		if last = s; enough(s) {
			return last
		}
		var keys []uinput.Key
		time.Sleep(300 * time.Millisecond) // an earlier drop counts as a held key's repeat
		switch s.Phase {
		case "aim":
			for range chance.IntN(4) {
				keys = append(keys, sideways[chance.IntN(2)])
			}
			keys = append(keys, uinput.Middle)
		case "attract", "menu":
			keys = append(keys, uinput.Middle)
		}
		for _, k := range keys {
			if m.call("Tap", k, &struct{}{}) != nil {
				return last
			}
		}
	}
	m.t.Fatalf("the match made no progress: %+v", last)
	return last
}

// resumes compares the last status before the cut with the first after it.
func (m *Machine) resumes(before, after Status) {
	m.t.Helper()
	if !before.UnderWay {
		return // the test does not know what should follow
	}
	was, is := before.moves(), after.moves()
	switch {
	case before.id() == after.id() && strings.HasPrefix(is, was[:max(0, len(was)-1)]):
	case before.Phase == "fall" && len(was) == 1 && !after.UnderWay:
		// The first disc was in mid-air. On a slow disk its match is lost too.
	case before.Unsaved && (before.id() == after.id() || !after.UnderWay) && strings.HasPrefix(was, is):
		// The last discs were not yet saved.
	case strings.Contains(m.Run("cat", "/var/lib/c4hat/matches.jsonl").Out, `"`+before.id()+`"`):
		// The match was won between the last status and the cut, so it is in the history.
	default:
		m.t.Errorf("match %s %q became match %s %q", before.id(), was, after.id(), is)
	}
}
