package hat

import (
	"context"
	"os"

	"golang.org/x/sys/unix"
)

// AwaitGone waits until the file's path no longer leads to this file: the kernel deletes a
// device's file with the device. While a file is open, inotify(7) reports its deletion as a
// change of its attributes.
func (f file) AwaitGone(ctx context.Context) error {
	w, err := newWatcher(ctx)
	if err != nil {
		return err
	}
	defer w.close()
	ours, err := f.Stat()
	if err != nil {
		return nil // the file is closed
	}
	for {
		// The watch ends with the file, so it is set again each time; and before the check,
		// so that no change is missed.
		_, watchErr := w.add(f.Name(), unix.IN_ATTRIB|unix.IN_DELETE_SELF|unix.IN_MOVE_SELF)
		if now, err := os.Stat(f.Name()); err != nil || !os.SameFile(now, ours) {
			return nil
		}
		if watchErr != nil {
			return watchErr
		}
		if _, err := w.wait(0); err != nil {
			return err
		}
	}
}
