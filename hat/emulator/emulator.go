// Package emulator opens the Sense HAT emulator of the Raspberry Pi desktop: the window of
// sense_emu_gui, from python-sense-emu (RPi-Distro/python-sense-emu, sense_emu/screen.py and
// stick.py).
//
// The screen is a file, which remains when the emulator exits. A picture that is then written to it
// appears when the emulator starts again. The joystick can be opened only while the emulator is
// running, and a program can have it open only once at a time. Only Linux has an emulator.
package emulator

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/c4hat/c4hat/hat"
)

// OpenMatrix opens the emulator's screen as hat.OpenMatrix opens a regular file: the Matrix writes
// the pixels, but not the gamma table that follows them. The emulator draws new pixels 25 times a
// second. o.Framebuffer is the screen's file, by default the one in /dev/shm. Errors match
// [hat.ErrNotFound], [hat.ErrPermission] (the emulator belongs to another user) or [hat.ErrBusy].
func OpenMatrix(o *hat.Opts) (*hat.Matrix, error) {
	o = files(o)
	// The emulator gives a gamma table only to a file that it has created itself, and without the table
	// its window stays dark.
	const size = 8*8*2 + 32 // pixels and gamma table
	info, err := os.Lstat(o.Framebuffer)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &hat.Error{Kind: hat.ErrNotFound, What: "the Sense HAT emulator's screen " + o.Framebuffer + " is missing", Fix: "start or restart sense_emu_gui"}
	case err == nil && (!info.Mode().IsRegular() || info.Size() != size):
		return nil, &hat.Error{Kind: hat.ErrNotFound, What: o.Framebuffer + " is not a file of the Sense HAT emulator", Fix: "remove it and start sense_emu_gui again"}
	}
	return hat.OpenMatrix(o)
}

// OpenJoystick opens the emulator's joystick. o.Joystick is its socket, by default the one in
// /dev/shm. Errors match [hat.ErrNotFound] if the emulator is not running, and [hat.ErrPermission] if
// it belongs to another user.
func OpenJoystick(o *hat.Opts) (*hat.Joystick, error) {
	o = files(o)
	own := filepath.Join(filepath.Dir(o.Joystick), fmt.Sprintf("rpi-sense-emu-client-%d", os.Getpid()))
	_ = os.Remove(own) // left by an earlier process with our ID
	// The socket is connected so that no other process can send keys.
	conn, err := net.DialUnix("unixgram", &net.UnixAddr{Name: own, Net: "unixgram"}, &net.UnixAddr{Name: o.Joystick, Net: "unixgram"})
	if err != nil {
		_ = os.Remove(own)
		return nil, fault(o.Joystick, err)
	}
	k := &keys{UnixConn: conn, path: o.Joystick, own: own}
	if err = k.greet(); err != nil {
		k.Close()
		return nil, fault(o.Joystick, err)
	}
	return hat.NewJoystick(k), nil
}

// files returns the options with the paths of the emulator's files, by default screen_filename in
// sense_emu/screen.py and stick_address in sense_emu/stick.py.
func files(o *hat.Opts) *hat.Opts {
	if o == nil {
		o = &hat.Opts{}
	}
	return &hat.Opts{
		Framebuffer: cmp.Or(o.Framebuffer, "/dev/shm/rpi-sense-emu-screen"),
		Joystick:    cmp.Or(o.Joystick, "/dev/shm/rpi-sense-emu-stick"),
	}
}

// fault describes why the joystick could not be opened.
func fault(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED):
		return &hat.Error{Kind: hat.ErrNotFound, What: "the Sense HAT emulator is not running", Fix: "start sense_emu_gui"}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EADDRINUSE):
		return &hat.Error{Kind: hat.ErrPermission, What: "the Sense HAT emulator's joystick " + path + " belongs to another user", Err: err}
	}
	return &hat.Error{Kind: hat.ErrNotFound, What: "cannot open the Sense HAT emulator's joystick " + path, Err: err}
}

// helloEvery is the time between two greetings. The emulator sends its keys to the address that a
// greeting came from. Only a failed greeting shows that the emulator has exited
// (sense_emu/stick.py, init_stick_client).
const helloEvery = time.Second

// recordSize is the size of the records that a Joystick reads: struct input_event of this program's
// word size.
const recordSize = 2*strconv.IntSize/8 + 8

// keys is the emulator's joystick: a Unix socket of datagrams, each of which is an input_event. There
// are no SYN records.
type keys struct {
	*net.UnixConn
	path, own string // the emulator's address, and ours
	hello     time.Time
	buf       [32]byte // a longer datagram is truncated and ignored
}

// Read returns one record. It greets the emulator every helloEvery. If the emulator has exited,
// Read fails as for an unplugged device.
func (k *keys) Read(p []byte) (int, error) {
	for {
		var n int
		err := error(nil)
		if !time.Now().Before(k.hello) {
			err = k.greet()
		}
		if err == nil {
			n, err = k.UnixConn.Read(k.buf[:])
		}
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded): // of the next greeting
		case errors.Is(err, net.ErrClosed):
			return 0, os.ErrClosed
		case err != nil:
			return 0, syscall.ENODEV
		}
		if rec, ok := record(k.buf[:n]); ok {
			return copy(p, rec[:]), nil
		}
	}
}

// record turns a datagram of the emulator into a record of this program's word size, and reports
// whether the datagram is a record. The emulator's have the word size of its Python: 24 bytes with
// 64-bit words, 16 with 32-bit ones. The time at the start of a record is ignored.
func record(datagram []byte) (rec [recordSize]byte, ok bool) {
	if len(datagram) != 24 && len(datagram) != 16 {
		return rec, false
	}
	copy(rec[recordSize-8:], datagram[len(datagram)-8:])
	return rec, true
}

// greet sends a greeting, and sets the deadline for the next. An emulator that is too busy to read it
// has not exited.
func (k *keys) greet() error {
	k.hello = time.Now().Add(helloEvery)
	if err := k.SetDeadline(k.hello); err != nil {
		return err
	}
	_, err := k.Write([]byte("hello"))
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	return err
}

// Close removes the socket's address before it closes the socket: after that, another socket may
// have the address.
func (k *keys) Close() error {
	_ = os.Remove(k.own)
	return k.UnixConn.Close()
}

// Name returns the emulator's address, for errors.
func (k *keys) Name() string { return k.path }
