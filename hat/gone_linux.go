package hat

import (
	"context"
	"os"

	"golang.org/x/sys/unix"
)

// AwaitGone waits until the file's path does not lead to it any more. The kernel
// takes a device's file away with the device; that a file loses its name is told
// as a change of its attributes while it is open (inotify(7)).
func (f file) AwaitGone(ctx context.Context) error {
	w, err := newWatcher()
	if err != nil {
		return err
	}
	defer w.close()
	defer context.AfterFunc(ctx, w.interrupt)()
	ours, err := f.Stat()
	if err != nil {
		return nil // it is closed
	}
	for {
		// Each time anew: the watch ends with the file. What happens between
		// setting it and looking is seen by looking.
		_, watchErr := w.add(f.Name(), unix.IN_ATTRIB|unix.IN_DELETE_SELF|unix.IN_MOVE_SELF)
		if now, err := os.Stat(f.Name()); err != nil || !os.SameFile(now, ours) {
			return nil
		}
		if watchErr != nil {
			return watchErr
		}
		if _, err := w.wait(ctx, 0); err != nil {
			return err
		}
	}
}
