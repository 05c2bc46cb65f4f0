package hat

import (
	"errors"
	"io"
	"time"
)

var errStuck = errors.New("the kernel's close does not return")

// letGo closes a device. The close may never return: if a framebuffer was deleted while open, the
// thread that closes it dies in the kernel (rpisense-fb.c frees memory that
// fb_deferred_io_lastclose then uses). After one second letGo gives up and leaves the goroutine
// behind. A device that is plugged in later is not affected: it is another file with its own lock.
func letGo(device io.Closer) error {
	closed := make(chan error, 1)
	go func() { closed <- device.Close() }()
	select {
	case err := <-closed:
		return err
	case <-time.After(time.Second):
		return errStuck
	}
}
