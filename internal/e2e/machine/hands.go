//go:build linux

package machine

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/c4hat/c4hat/internal/e2e/machine/inside"
	"github.com/c4hat/c4hat/internal/e2e/standin"
	"github.com/c4hat/c4hat/internal/e2e/uinput"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/light"
	"github.com/c4hat/c4hat/internal/socket"
)

// call calls a method of the agent. It discards an answer that arrives too late.
func (m *Machine) call(method string, arg, answer any, within time.Duration) error {
	call := m.agent.Go(inside.Name+"."+method, arg, answer, nil)
	select {
	case <-call.Done:
		return call.Error
	case <-m.ended:
		return fmt.Errorf("the machine is off")
	case <-time.After(within):
		return fmt.Errorf("no answer to %s within %v", method, within)
	}
}

// must does the same as call, and ends the test on an error.
func (m *Machine) must(method string, arg, answer any) {
	m.t.Helper()
	if err := m.call(method, arg, answer, answersWithin); err != nil {
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

// shownWithin is how long a picture may take to appear. The host may be emulating two machines.
const shownWithin = 2 * time.Minute

// Shows waits until the LEDs show exactly this frame.
func (m *Machine) Shows(f light.Frame) {
	m.t.Helper()
	m.ShowsWithin(f, shownWithin)
}

// ShowsWithin is Shows with a given timeout.
func (m *Machine) ShowsWithin(f light.Frame, within time.Duration) {
	m.t.Helper()
	want := standin.Lit(f)
	var shown standin.LEDs
	if err := m.call("Await", inside.Picture{LEDs: want, Within: within}, &shown, within+answersWithin); err != nil {
		m.t.Fatal(err)
	}
	if shown != want {
		m.t.Fatalf("the LEDs show\n%vwant\n%v", shown, want)
	}
}

// Mirrors waits until the LEDs match the service's status and are not dark, and returns
// that status.
func (m *Machine) Mirrors() socket.Status {
	m.t.Helper()
	for deadline := time.Now().Add(shownWithin); ; {
		s, err := m.Status()
		if err != nil {
			m.t.Fatal(err)
		}
		v, err := s.State.View()
		if err != nil {
			m.t.Fatal(err)
		}
		want := standin.Lit(gametest.Colours(v))
		var shown standin.LEDs
		err = m.call("Await", inside.Picture{LEDs: want, Within: 500 * time.Millisecond}, &shown, answersWithin)
		if err == nil && shown == want && shown != (standin.LEDs{}) {
			return s
		}
		if time.Now().After(deadline) { // until then, the picture may be changing, and udev loading the driver
			m.t.Fatalf("the LEDs show\n%vwant\n%v, %v", shown, want, err)
		}
	}
}

// Run runs a program as root.
func (m *Machine) Run(args ...string) inside.Ended {
	m.t.Helper()
	const within = 5 * time.Minute // args may install a package
	var e inside.Ended
	if err := m.call("Run", inside.Command{Args: args, Within: within}, &e, within+answersWithin); err != nil {
		m.t.Fatalf("%q: %v", args, err)
	}
	return e
}

// Status returns the service's status.
func (m *Machine) Status() (s socket.Status, err error) {
	var b []byte
	if err := m.call("Status", inside.None{}, &b, answersWithin); err != nil {
		return s, err
	}
	return s, json.Unmarshal(b, &s)
}

// AwaitStatus waits for a status for which good returns true.
func (m *Machine) AwaitStatus(within time.Duration, good func(socket.Status) bool) socket.Status {
	m.t.Helper()
	for deadline := time.Now().Add(within); ; time.Sleep(50 * time.Millisecond) {
		s, err := m.Status()
		if err == nil && good(s) {
			return s
		}
		if time.Now().After(deadline) {
			m.t.Fatalf("after %v the status is %+v, %v", within, s, err)
		}
	}
}

// Latencies measures n presses.
func (m *Machine) Latencies(n int) (took []inside.Latency) {
	m.t.Helper()
	if err := m.call("Latencies", n, &took, time.Duration(n)*time.Second+answersWithin); err != nil {
		m.t.Fatal(err)
	}
	return took
}
