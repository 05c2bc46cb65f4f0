package hat

import (
	"context"
	"encoding/binary"
	"os"
	"sync/atomic"
	"time"

	"periph.io/x/conn/v3/gpio"
)

const (
	// repeatDelay and repeatPeriod are the kernel's autorepeat (drivers/input/input.c,
	// input_enable_softrepeat) as observed for the HAT's joystick.
	repeatDelay  = 250 * time.Millisecond
	repeatPeriod = 40 * time.Millisecond

	// Without an interrupt line the keys are polled: every pollBusy until no key has changed for a
	// minute (playing), then every pollIdle. A press lasts longer than either interval.
	pollBusy = 20 * time.Millisecond
	pollIdle = 100 * time.Millisecond
	playing  = time.Minute

	// With an interrupt line the keys are also read every lineCheck while playing; after that no timer
	// runs. If an edge is lost because two came in quick succession, the line stays high, and no
	// further edge can come until the keys are read.
	lineCheck = 10 * time.Second

	// lineWait limits one wait for the line: periph.io's drivers differ in how they wait without end.
	lineWait = 24 * time.Hour
)

// boardKeys are the KEY_ codes of the key register's bits, from bit 0 (rpisense-js.c).
var boardKeys = [5]uint16{108 /* down */, 106 /* right */, 103 /* up */, 28 /* enter */, 105 /* left */}

// keypad turns the board's keys into records of an input device, for a [Joystick].
type keypad struct {
	*board
	line   gpio.PinIn    // nil: the keys are polled
	polls  atomic.Bool   // there is no line, or it does not work
	edge   chan struct{} // receives when the keys are to be read
	let    chan struct{} // closed when the line is released
	closed context.Context
	close  context.CancelFunc

	// Used by the goroutine that reads.
	timer   *time.Timer
	down    byte      // the keys' register as last read
	repeats uint16    // the code of the key that repeats, or 0
	due     time.Time // when the key repeats next
	changed time.Time // when the keys last changed
	out     []byte    // records that are not yet read
}

func (i *I2C) joystick(o *Opts, w watch) (*Joystick, error) {
	if _, err := o.turns(); err != nil {
		return nil, err
	}
	b, err := i.board(w.taken)
	if err != nil {
		return nil, err
	}
	k := &keypad{
		board: b, edge: make(chan struct{}, 1), let: make(chan struct{}),
		timer: time.NewTimer(0), changed: time.Now(),
	}
	k.closed, k.close = context.WithCancel(context.Background())
	if i.Interrupt != nil {
		k.line = i.Interrupt()
	}
	if k.line != nil && k.line.In(gpio.PullNoChange, gpio.RisingEdge) != nil {
		k.release()
		k.line = nil
	}
	k.polls.Store(k.line == nil)
	// Read the keys only after the line reports edges: reading lowers a line that is up.
	if k.down, err = k.read(); err != nil {
		k.release()
		b.close()
		return nil, ioFault("reading", nameOf("joystick", k), err)
	}
	if k.line != nil {
		go k.listen()
	}
	i.keys.Store(k)
	return NewJoystick(k, o)
}

// look makes a blocked Read read the keys.
func (k *keypad) look() {
	select {
	case k.edge <- struct{}{}:
	default:
	}
}

// read reads which keys are down. It clears the highest bit, as the kernel's driver does, because
// the I²C bus of the first Pis may set that bit when the clock is stretched.
func (k *keypad) read() (byte, error) {
	var keys [1]byte
	err := k.tx([]byte{regKeys}, keys[:])
	return keys[0] & 0x7F, err
}

// listen waits for the line to rise, until the keypad is closed.
func (k *keypad) listen() {
	defer close(k.let)
	defer k.release()
	for !k.polls.Load() {
		began := time.Now()
		edge := k.line.WaitForEdge(lineWait)
		if k.closed.Err() != nil {
			return
		}
		if !edge && time.Since(began) < lineWait/2 { // an error that the interface cannot return
			k.polls.Store(true)
		}
		k.look()
	}
}

// release closes the line, so that a kernel driver can use it.
func (k *keypad) release() {
	if line, ok := k.line.(interface{ Close() }); ok {
		line.Close()
	}
}

// Read waits for records and returns them as an input device does.
func (k *keypad) Read(p []byte) (int, error) {
	for len(k.out) == 0 {
		select {
		case <-k.closed.Done():
		case <-k.edge:
		case <-k.pause():
		}
		if k.closed.Err() != nil {
			return 0, os.ErrClosed
		}
		keys, err := k.read()
		if err != nil {
			return 0, err
		}
		k.report(keys, time.Now())
	}
	n := copy(p, k.out)
	k.out = k.out[:copy(k.out, k.out[n:])]
	return n, nil
}

// pause returns a channel that receives when the keys must be read although the line has not risen,
// or nil if the line is enough.
func (k *keypad) pause() <-chan time.Time {
	var wait time.Duration
	busy := k.down != 0 || time.Since(k.changed) < playing
	switch {
	case k.polls.Load() && busy:
		wait = pollBusy
	case k.polls.Load():
		wait = pollIdle
	case busy:
		wait = lineCheck
	default:
		return nil
	}
	if k.repeats != 0 { // a key that repeats is down
		wait = min(wait, time.Until(k.due))
	}
	k.timer.Reset(wait)
	return k.timer.C
}

// report queues records of the keys that have changed, or the repeat of the key that was pressed
// last. As in the kernel, the repeat ends when any key is released.
func (k *keypad) report(keys byte, now time.Time) {
	changed := keys ^ k.down
	k.down = keys
	for bit, code := range boardKeys {
		if changed>>bit&1 == 0 {
			continue
		}
		value := keys >> bit & 1
		k.put(evKey, code, uint32(value))
		k.changed, k.repeats = now, 0
		if value == 1 {
			k.repeats, k.due = code, now.Add(repeatDelay)
		}
	}
	if k.repeats != 0 && !now.Before(k.due) {
		k.put(evKey, k.repeats, 2)
		k.due = now.Add(repeatPeriod)
	}
	if len(k.out) > 0 {
		k.put(evSyn, synReport, 0)
	}
}

// put queues a record. The record's time is zero, because no reader uses it.
func (k *keypad) put(kind, code uint16, value uint32) {
	var none [recordSize - 8]byte
	k.out = append(k.out, none[:]...)
	k.out = binary.NativeEndian.AppendUint16(k.out, kind)
	k.out = binary.NativeEndian.AppendUint16(k.out, code)
	k.out = binary.NativeEndian.AppendUint32(k.out, value)
}

// Close ends a blocked Read. The [Joystick] calls it once.
func (k *keypad) Close() error {
	k.close()
	k.i2c.keys.CompareAndSwap(k, nil)
	if k.line != nil {
		k.leave()
	}
	return k.board.close()
}

// leave waits until the line is released, for about 50 ms at most: whoever opens the keys next,
// such as the kernel's driver, needs the line. Halt is repeated because a Halt just before
// WaitForEdge may be lost. A line whose Halt does not work is released at its next edge.
func (k *keypad) leave() {
	for range 50 {
		_ = k.line.Halt()
		select {
		case <-k.let:
			return
		case <-time.After(time.Millisecond):
		}
	}
}
