//go:build linux

// Package inside does a test's work within a machine: it presses the keys of a joystick, reads the
// LEDs and runs programs. The host calls it with net/rpc over a virtio port.
package inside

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/c4hat/c4hat/internal/dev/e2e/standin"
	"github.com/c4hat/c4hat/internal/dev/e2e/uinput"
	"github.com/c4hat/c4hat/internal/service/socket"
)

const (
	// Port is the name of the virtio port that the agent serves.
	Port = "c4hat.agent"
	// Name is the RPC service's name.
	Name = "Inside"
)

const socketPath = "/run/c4hat/c4hat.sock"

// None is the argument or answer of a method without one.
type None struct{}

// Service has the methods that the host calls.
type Service struct {
	daemon *socket.Client

	mu    sync.Mutex
	stick *uinput.Stick // nil while it is unplugged
}

// New returns a Service with its joystick plugged in.
func New() (*Service, error) {
	s := &Service{daemon: socket.Dial(socketPath)}
	return s, s.Plug(None{}, nil)
}

// Hello does nothing: an answer shows that the agent is running.
func (*Service) Hello(None, *None) error { return nil }

// Plug plugs the joystick in, with the keymap of Raspberry Pi OS.
func (s *Service) Plug(None, *None) error { return s.PlugAs(uinput.RaspberryPi, nil) }

// PlugAs plugs the joystick in, with another keymap.
func (s *Service) PlugAs(keys uinput.Keymap, _ *None) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stick, err = uinput.Create(keys)
	return err
}

// Unplug unplugs the joystick.
func (s *Service) Unplug(None, *None) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stick == nil {
		return errors.New("there is no joystick")
	}
	stick := s.stick
	s.stick = nil
	return stick.Close()
}

// Tap presses k briefly.
func (s *Service) Tap(k uinput.Key, _ *None) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stick == nil {
		return errors.New("there is no joystick")
	}
	defer time.Sleep(20 * time.Millisecond) // keeps two presses apart
	return s.stick.Tap(k)
}

// Pictures are what Await waits for, one after the other.
type Pictures struct {
	LEDs   []standin.LEDs
	Within time.Duration
}

// Await waits for pictures.
func (*Service) Await(want Pictures, _ *None) error {
	deadline := time.Now().Add(want.Within)
	for _, leds := range want.LEDs {
		for ; ; time.Sleep(2 * time.Millisecond) {
			shown, err := standin.ReadLEDs()
			if err == nil && shown == leds {
				break
			}
			if time.Now().After(deadline) { // until then an error means that udev has not loaded the driver
				return fmt.Errorf("the LEDs show\n%vwant\n%v, %v", shown, leds, err)
			}
		}
	}
	return nil
}

// Status returns the service's status as JSON, in the words of its version.
func (s *Service) Status(_ None, answer *[]byte) error {
	a, err := (&http.Client{Transport: s.daemon, Timeout: time.Minute}).Get("http://c4hat/v1/status")
	if err != nil {
		return err
	}
	defer a.Body.Close()
	*answer, err = io.ReadAll(a.Body)
	return err
}

// Command is a program to run as root.
type Command struct {
	Args   []string
	Within time.Duration
}

// Ended is a Command's result.
type Ended struct {
	Status   int
	Out, Err string
}

// Run runs a program and waits for it. It returns an error if the program could not be
// started or took too long.
func (*Service) Run(c Command, e *Ended) error {
	ctx, cancel := context.WithTimeout(context.Background(), c.Within)
	defer cancel()
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "SYSTEMD_PAGER=", "HOME=/root",
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	e.Status, e.Out, e.Err = cmd.ProcessState.ExitCode(), out.String(), errs.String()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && ctx.Err() == nil {
		return nil
	}
	return err
}

// Latency is the time from a press until the program wrote a frame, and until the LEDs
// changed.
type Latency struct{ Written, Lit time.Duration }

// Latencies presses left and right in turn, n times in all.
func (s *Service) Latencies(n int, took *[]Latency) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stick == nil {
		return errors.New("there is no joystick")
	}
	for i := range n {
		l, err := s.latency([...]uinput.Key{uinput.Left, uinput.Right}[i%2])
		if err != nil {
			return fmt.Errorf("press %d: %w", i+1, err)
		}
		*took = append(*took, l)
	}
	return nil
}

func (s *Service) latency(k uinput.Key) (l Latency, err error) {
	began, err := now()
	if err != nil {
		return l, err
	}
	if err := s.stick.Press(k); err != nil {
		return l, err
	}
	// A key repeat may write another frame after this time. A slower change therefore counts
	// entirely as the program's latency.
	l, changed, err := changedSince(began, 220*time.Millisecond)
	if err != nil {
		return l, err
	}
	// A release writes the frame again, perhaps after the LEDs changed, which must not be
	// measured.
	if err := s.stick.Release(k); err != nil {
		return l, err
	}
	time.Sleep(80 * time.Millisecond)
	if !changed {
		if l, changed, err = changedSince(began, time.Minute); err == nil && !changed {
			err = errors.New("the LEDs did not change")
		}
		l.Written = l.Lit
	}
	return l, err
}

// changedSince waits for the LEDs to change.
func changedSince(began, within time.Duration) (l Latency, changed bool, err error) {
	for waited := time.Duration(0); waited < within; waited += 10 * time.Millisecond {
		time.Sleep(10 * time.Millisecond)
		written, lit, err := standin.Times()
		if err != nil {
			return l, false, err
		}
		if began < written && began < lit {
			return Latency{min(written, lit) - began, lit - began}, true, nil
		}
	}
	return l, false, nil
}

// Heard presses left and right in turn, n times in all, and returns how long c4hat speak takes to hand
// each column to its engine.
func (s *Service) Heard(n int, took *[]time.Duration) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stick == nil {
		return errors.New("there is no joystick")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Duration(n)*time.Second)
	defer cancel()
	voice := exec.CommandContext(ctx, "c4hat", "speak", "--engine", "lines")
	out, err := voice.StdoutPipe()
	if err != nil {
		return err
	}
	if err := voice.Start(); err != nil {
		return err
	}
	defer func() { cancel(); _ = voice.Wait() }()
	lines := bufio.NewScanner(out)
	for i := range n + 1 {
		began := time.Now()
		if i > 0 { // the first line says what is shown
			if err := s.press([...]uinput.Key{uinput.Left, uinput.Right}[i%2]); err != nil {
				return err
			}
		}
		if !lines.Scan() {
			return fmt.Errorf("press %d is not heard: %v", i, ctx.Err())
		}
		if i > 0 {
			*took = append(*took, time.Since(began))
		}
		time.Sleep(400 * time.Millisecond) // of faster keys, only the last is said
	}
	return nil
}

func (s *Service) press(k uinput.Key) error {
	if err := s.stick.Press(k); err != nil {
		return err
	}
	return s.stick.Release(k)
}

// SetGamma sets the driver's gamma table, as another program may.
func (*Service) SetGamma(table [32]byte, _ *None) error { return standin.SetGamma(table) }

// SetFatalClose makes closing an unplugged matrix fatal: see package standin.
func (*Service) SetFatalClose(fatal bool, _ *None) error { return standin.SetFatalClose(fatal) }

// Flood is a request to the service that is repeated for some time.
type Flood struct {
	Path, Body string
	Lasts      time.Duration
}

// Flood repeats a request on more connections than the service accepts, and returns the
// number of replies.
func (*Service) Flood(f Flood, answers *int) error {
	ctx, cancel := context.WithTimeout(context.Background(), f.Lasts)
	defer cancel()
	var n atomic.Int64
	var wg sync.WaitGroup
	for range 40 {
		client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socketPath)
		}}}
		wg.Go(func() {
			defer client.CloseIdleConnections()
			for ctx.Err() == nil {
				// The service may refuse or drop any of them.
				req, _ := http.NewRequestWithContext(ctx, http.MethodPost, "http://c4hat"+f.Path, strings.NewReader(f.Body))
				req.Header.Set("Content-Type", "application/json")
				if answer, err := client.Do(req); err == nil {
					_, _ = io.Copy(io.Discard, answer.Body)
					answer.Body.Close()
					n.Add(1)
				}
			}
		})
	}
	wg.Wait()
	*answers = int(n.Load())
	return nil
}

// now returns the time of CLOCK_MONOTONIC.
func now() (time.Duration, error) {
	var t unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
	return time.Duration(t.Nano()), err
}

// OpenPort opens the port to the host. It finds it by name in sysfs, without udev.
func OpenPort() (*os.File, error) {
	names, err := filepath.Glob("/sys/class/virtio-ports/*/name")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if b, err := os.ReadFile(name); err == nil && strings.TrimSpace(string(b)) == Port {
			return os.OpenFile("/dev/"+filepath.Base(filepath.Dir(name)), os.O_RDWR, 0)
		}
	}
	return nil, fmt.Errorf("no port %s among %v", Port, names)
}
