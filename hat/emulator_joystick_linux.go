package hat

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// helloEvery is the time between two greetings. The emulator sends its keys to the address that a
// greeting came from. Only a failed greeting shows that the emulator has exited
// (sense_emu/stick.py, init_stick_client).
const helloEvery = time.Second

// emulatedKeys is the emulator's joystick: a Unix socket of datagrams, each of which is an
// input_event. There are no SYN records.
type emulatedKeys struct {
	socket file
	own    string // the address of this end
	hello  time.Time
	buf    [32]byte // a longer datagram is truncated and ignored
}

func openEmulatedJoystick(o *Opts) (*Joystick, error) {
	if _, err := o.turns(); err != nil {
		return nil, err
	}
	path := emulatedJoystick(o)
	info, err := os.Lstat(path)
	if err != nil {
		return nil, emulatorFault("joystick "+path, err)
	}
	if err := checkEmulated(path, info, os.ModeSocket); err != nil {
		return nil, err
	}
	k, err := dialEmulator(path)
	if err != nil {
		return nil, emulatorFault("joystick "+path, err)
	}
	return NewJoystick(k, o)
}

func dialEmulator(path string) (*emulatedKeys, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	k := &emulatedKeys{socket: file{os.NewFile(uintptr(fd), path)}}
	// The socket is connected so that no other process can send keys. Connect comes before Bind
	// because a name that appears and disappears with each try would wake all watchers of the
	// folder, including ours.
	if err := unix.Connect(fd, &unix.SockaddrUnix{Name: path}); err != nil {
		k.socket.Close()
		return nil, err
	}
	own := filepath.Join(filepath.Dir(path), fmt.Sprintf("rpi-sense-emu-client-%d", os.Getpid()))
	_ = unix.Unlink(own) // left by an earlier process with our ID; if it stays, Bind fails
	if err := unix.Bind(fd, &unix.SockaddrUnix{Name: own}); err != nil {
		k.socket.Close()
		if err == unix.EADDRINUSE {
			return nil, &fault{own + " exists and belongs to another user: have it removed", ErrPermission, err}
		}
		return nil, err
	}
	k.own = own
	if err := k.greet(); err != nil {
		k.Close() // err says more
		return nil, err
	}
	return k, nil
}

// Read returns one record. It greets the emulator every helloEvery. If the emulator has exited,
// Read fails as for an unplugged device.
func (k *emulatedKeys) Read(p []byte) (int, error) {
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
		if rec, ok := emulatedRecord(k.buf[:n]); ok {
			return copy(p, rec[:]), nil
		}
	}
}

// greet sends a greeting. It does not wait for an emulator that is too busy to read.
func (k *emulatedKeys) greet() error {
	k.hello = time.Now().Add(helloEvery)
	err := k.socket.control(func(fd uintptr) error {
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
func (k *emulatedKeys) Close() error {
	_ = unix.Unlink(k.own) // it may already be removed
	return k.socket.Close()
}

// Name returns the socket's path, for errors.
func (k *emulatedKeys) Name() string { return k.socket.Name() }
