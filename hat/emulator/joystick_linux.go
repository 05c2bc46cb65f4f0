package emulator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/c4hat/c4hat/hat"
	"github.com/c4hat/c4hat/hat/internal/device"
	"golang.org/x/sys/unix"
)

// OpenJoystick opens the emulator's joystick. Errors match [hat.ErrNotFound] if the emulator is not
// running, and [hat.ErrPermission] if it belongs to another user.
func (Devices) OpenJoystick(o *hat.Opts) (*hat.Joystick, error) {
	o = files(o)
	if err := check(o.Joystick, "joystick", os.ModeSocket); err != nil {
		return nil, err
	}
	k, err := dial(o.Joystick)
	if err != nil {
		return nil, err
	}
	s, err := hat.NewJoystick(k, o)
	if err != nil {
		k.Close()
	}
	return s, err
}

// AwaitJoystick is OpenJoystick for programs that can wait; see [Devices.AwaitMatrix].
func (d Devices) AwaitJoystick(ctx context.Context, o *hat.Opts, report func(error)) (*hat.Joystick, error) {
	return await(ctx, files(o).Joystick, func() (*hat.Joystick, error) { return d.OpenJoystick(o) }, report)
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
	socket device.File
	own    string // the address of this end
	hello  time.Time
	buf    [32]byte // a longer datagram is truncated and ignored
}

func dial(path string) (*keys, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fault("joystick "+path, err)
	}
	k := &keys{socket: device.File{File: os.NewFile(uintptr(fd), path)}}
	// The socket is connected so that no other process can send keys. Connect comes before Bind
	// because a name that appears and disappears with each try would wake all watchers of the
	// folder, including ours.
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: path}); err != nil {
		k.socket.Close()
		return nil, fault("joystick "+path, err)
	}
	own := filepath.Join(filepath.Dir(path), fmt.Sprintf("rpi-sense-emu-client-%d", os.Getpid()))
	_ = unix.Unlink(own) // left by an earlier process with our ID; if it stays, Bind fails
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: own}); err != nil {
		k.socket.Close()
		if err == unix.EADDRINUSE {
			return nil, device.Fault(hat.ErrPermission, err, "%s exists and belongs to another user: have it removed", own)
		}
		return nil, fault("joystick "+path, err)
	}
	k.own = own
	if err := k.greet(); err != nil {
		k.Close()
		return nil, fault("joystick "+path, err)
	}
	return k, nil
}

// Read returns one record. It greets the emulator every helloEvery. If the emulator has exited,
// Read fails as for an unplugged device.
func (k *keys) Read(p []byte) (int, error) {
	for {
		if !time.Now().Before(k.hello) {
			if err := k.greet(); err != nil {
				return 0, gone(err)
			}
		}
		if err := k.socket.SetReadDeadline(k.hello); err != nil {
			return 0, err
		}
		n, err := k.socket.Read(k.buf[:])
		if err != nil && err != io.EOF && !errors.Is(err, os.ErrDeadlineExceeded) { // EOF is an empty datagram
			return 0, gone(err)
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

// greet sends a greeting. It does not wait for an emulator that is too busy to read.
func (k *keys) greet() error {
	k.hello = time.Now().Add(helloEvery)
	err := k.socket.Control(func(fd uintptr) error {
		_, err := unix.Write(int(fd), []byte("hello"))
		return err
	})
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EINTR) {
		return nil
	}
	return err
}

// gone maps an error of the socket to ENODEV, unless this process has closed the socket: the
// emulator has exited.
func gone(err error) error {
	if errors.Is(err, os.ErrClosed) {
		return err
	}
	return unix.ENODEV
}

// Close removes the socket's address before it closes the socket: after that, another socket may
// have the address.
func (k *keys) Close() error {
	_ = unix.Unlink(k.own) // it may already be removed
	return k.socket.Close()
}

// Name returns the socket's path, for errors.
func (k *keys) Name() string { return k.socket.Name() }
