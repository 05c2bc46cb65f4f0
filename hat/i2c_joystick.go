package hat

import (
	"os"
	"time"
)

const (
	// repeatDelay and repeatPeriod are the kernel's autorepeat (drivers/input/input.c,
	// input_enable_softrepeat) as observed for the HAT's joystick.
	repeatDelay  = 250 * time.Millisecond
	repeatPeriod = 40 * time.Millisecond

	// A press lasts longer than pollLit. When the LEDs have been dark for a while, a key only wakes the
	// HAT, and is held until that happens.
	pollLit  = 20 * time.Millisecond
	pollDark = 200 * time.Millisecond
	while    = time.Second
)

// boardKeys are the keys of the key register's bits, from bit 0 (rpisense-js.c).
var boardKeys = [5]Key{Down, Right, Up, Middle, Left}

// keypad polls the board's keys, for a [Joystick].
type keypad struct {
	*chip
	stop    chan struct{}
	down    byte // the keys' register as last read
	repeats Key  // the key that was pressed last, or 0
	due     time.Time
}

// OpenJoystick opens the board's keys, with the options and errors of [I2C.OpenMatrix]. It reads them
// 50 times a second or, while a matrix is open and has been dark for a second, 5 times.
func (i *I2C) OpenJoystick(o *Opts) (*Joystick, error) {
	c, err := i.board()
	if err != nil {
		return nil, err
	}
	k := &keypad{chip: c, stop: make(chan struct{})}
	var j *Joystick
	if k.down, err = k.read(regKeys); err == nil {
		j, err = newJoystick(k, nameOf("joystick", c), o)
	}
	if err != nil {
		c.Close()
	}
	return j, err
}

// next reads the keys once, after a pause.
func (k *keypad) next(c []change) ([]change, error) {
	wait := pollLit
	if dark := k.dark.Load(); dark != 0 && k.down == 0 && time.Since(time.Unix(0, dark)) > while {
		wait = pollDark
	}
	select {
	case <-k.stop:
		return c, os.ErrClosed
	case <-time.After(wait):
	}
	keys, err := k.read(regKeys)
	if err != nil {
		return c, err
	}
	return k.report(c, keys&0x7F, time.Now()), nil // the highest bit may be wrong if the clock is stretched
}

// report appends the keys that have changed, or the repeat of the key that was pressed last. As in the
// kernel, the repeat ends when any key is released.
func (k *keypad) report(c []change, keys byte, now time.Time) []change {
	changed := keys ^ k.down
	k.down = keys
	for bit, key := range boardKeys {
		if changed>>bit&1 == 0 {
			continue
		}
		value := int32(keys >> bit & 1)
		c = append(c, change{key, value})
		k.repeats = 0
		if value == 1 {
			k.repeats, k.due = key, now.Add(repeatDelay)
		}
	}
	if k.repeats != 0 && !now.Before(k.due) {
		c = append(c, change{k.repeats, 2})
		k.due = now.Add(repeatPeriod)
	}
	return c
}

// Close ends a blocked next.
func (k *keypad) Close() error {
	close(k.stop)
	return k.chip.Close()
}
