//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"image/color"
	"strings"
	"time"

	"github.com/c4hat/c4hat/internal/dev/e2e/inside"
	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
	"github.com/c4hat/c4hat/internal/dev/e2e/uinput"
	"github.com/c4hat/c4hat/internal/front/hatpanel"
	"github.com/c4hat/c4hat/internal/game"
)

// Status is what the tests read of the service's status; doc/socket.md describes it.
type Status struct {
	Phase    string         `json:"phase"`
	UnderWay bool           `json:"under_way"`
	Unsaved  bool           `json:"unsaved"`
	Cursor   int            `json:"cursor"` // a column, from 1
	Turn     string         `json:"turn"`
	Winner   string         `json:"winner"`
	Points   map[string]int `json:"points"`
	Frame    [8]string      `json:"frame"`
	Match    *struct {
		ID       string   `json:"id"`
		Computer string   `json:"computer"`
		Rounds   []string `json:"rounds"`
	} `json:"match"`
	Machine struct {
		Version  string `json:"version"`
		Matrix   bool   `json:"matrix"`
		Joystick bool   `json:"joystick"`
		I2C      string `json:"i2c"`
	} `json:"machine"`
}

// id returns the match's ID.
func (s Status) id() string {
	if s.Match == nil {
		return "none"
	}
	return s.Match.ID
}

// moves returns the moves of the match's rounds, separated by slashes.
func (s Status) moves() string {
	if s.Match == nil {
		return ""
	}
	return strings.Join(s.Match.Rounds, "/")
}

// round returns the moves of the last round.
func (s Status) round() string { return s.moves()[strings.LastIndex(s.moves(), "/")+1:] }

// pixels returns the picture that the LEDs should show.
func (s Status) pixels() (pixels [64]color.RGBA, err error) {
	words := strings.Fields(strings.Join(s.Frame[:], " "))
	if len(words) != len(pixels) {
		return pixels, fmt.Errorf("a frame of %d pixels", len(words))
	}
	for i, word := range words {
		if _, err := fmt.Sscanf(word, "%02x%02x%02x", &pixels[i].R, &pixels[i].G, &pixels[i].B); err != nil {
			return pixels, err
		}
	}
	return pixels, nil
}

// call calls a method of the agent. It discards an answer that arrives too late.
func (m *Machine) call(method string, arg, answer any) error {
	call := m.agent.Go(inside.Name+"."+method, arg, answer, nil)
	select {
	case <-call.Done:
		return call.Error
	case <-m.ended:
		return fmt.Errorf("the machine is off")
	case <-time.After(patience + time.Minute): // the agent's own limit is patience
		return fmt.Errorf("no answer to %s", method)
	}
}

// must does the same as call, and ends the test on an error.
func (m *Machine) must(method string, arg, answer any) {
	m.t.Helper()
	if err := m.call(method, arg, answer); err != nil {
		m.t.Fatalf("%s: %v", method, err)
	}
}

// Tap presses keys briefly, one after the other.
func (m *Machine) Tap(keys ...uinput.Key) {
	m.t.Helper()
	for _, k := range keys {
		m.must("Tap", k, &inside.None{})
	}
}

// Unplug unplugs the joystick.
func (m *Machine) Unplug() {
	m.t.Helper()
	m.must("Unplug", inside.None{}, &inside.None{})
}

// Plug plugs the joystick back in.
func (m *Machine) Plug() {
	m.t.Helper()
	m.must("Plug", inside.None{}, &inside.None{})
}

// Shows waits until the LEDs show exactly the frames of these views, one after the other. The machine compares
// them: on a busy host, a frame that passes would be over before the next call.
func (m *Machine) Shows(views ...game.View) {
	m.t.Helper()
	p := inside.Pictures{Within: patience / 2} // the machine's clock is slower than ours
	for _, v := range views {
		p.LEDs = append(p.LEDs, standin.Lit((*hatpanel.Colours)(nil).Frame(&v.Frame)))
	}
	if err := m.call("Await", p, &inside.None{}); err != nil {
		m.t.Fatal(err)
	}
}

// Mirrors waits until the LEDs match the service's status and are not dark, and returns
// that status.
func (m *Machine) Mirrors() Status {
	m.t.Helper()
	return m.AwaitStatus(func(s Status) bool {
		pixels, err := s.pixels()
		if err != nil {
			m.t.Fatal(err)
		}
		want := standin.Lit(pixels)
		m.differs = nil // the picture may be changing, and udev loading the driver
		if want != (standin.LEDs{}) {
			m.differs = m.call("Await", inside.Pictures{LEDs: []standin.LEDs{want}, Within: 500 * time.Millisecond}, &inside.None{})
		}
		return want != (standin.LEDs{}) && m.differs == nil
	})
}

// Run runs a program as root.
func (m *Machine) Run(args ...string) inside.Ended {
	m.t.Helper()
	var e inside.Ended
	if err := m.call("Run", inside.Command{Args: args, Within: patience}, &e); err != nil {
		m.t.Fatalf("%q: %v", args, err)
	}
	return e
}

// Status returns the service's status.
func (m *Machine) Status() (s Status, err error) {
	var b []byte
	if err := m.call("Status", inside.None{}, &b); err != nil {
		return s, err
	}
	return s, json.Unmarshal(b, &s)
}

// AwaitStatus waits for a status for which good returns true.
func (m *Machine) AwaitStatus(good func(Status) bool) Status {
	m.t.Helper()
	wait := 20 * time.Millisecond
	for deadline := time.Now().Add(patience); ; time.Sleep(wait) {
		wait = min(2*wait, time.Second/2) // each answer costs a starting machine time
		s, err := m.Status()
		if err == nil && good(s) {
			return s
		}
		if time.Now().After(deadline) {
			m.t.Fatalf("the status stays %+v, %v; the last picture: %v", s, err, m.differs)
		}
	}
}

// Latencies measures n presses.
func (m *Machine) Latencies(n int) (took []inside.Latency) {
	m.t.Helper()
	if err := m.call("Latencies", n, &took); err != nil {
		m.t.Fatal(err)
	}
	return took
}
