//go:build linux

package machine

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/c4hat/c4hat/internal/dev/e2e/machine/inside"
	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
	"github.com/c4hat/c4hat/internal/dev/e2e/uinput"
	"github.com/c4hat/c4hat/internal/game/gametest"
	"github.com/c4hat/c4hat/internal/light"
	"github.com/c4hat/c4hat/internal/socket"
)

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

// Shows waits until the LEDs show exactly these frames, one after the other. The machine compares
// them: on a busy host, a frame that passes would be over before the next call.
func (m *Machine) Shows(frames ...light.Frame) {
	m.t.Helper()
	p := inside.Pictures{Within: patience / 2} // the machine's clock is slower than ours
	for _, f := range frames {
		p.LEDs = append(p.LEDs, standin.Lit(f))
	}
	if err := m.call("Await", p, &inside.None{}); err != nil {
		m.t.Fatal(err)
	}
}

// Mirrors waits until the LEDs match the service's status and are not dark, and returns
// that status.
func (m *Machine) Mirrors() socket.Status {
	m.t.Helper()
	return m.AwaitStatus(func(s socket.Status) bool {
		v, err := s.State.Shown()
		if err != nil {
			m.t.Fatal(err)
		}
		want := standin.Lit(gametest.Colours(v))
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
func (m *Machine) Status() (s socket.Status, err error) {
	var b []byte
	if err := m.call("Status", inside.None{}, &b); err != nil {
		return s, err
	}
	return s, json.Unmarshal(b, &s)
}

// AwaitStatus waits for a status for which good returns true.
func (m *Machine) AwaitStatus(good func(socket.Status) bool) socket.Status {
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
