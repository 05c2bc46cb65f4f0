package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Writable returns why matches cannot be kept in a folder, for people; nil if they can, or if
// the context ends before the disk answers.
func Writable(ctx context.Context, dir string) error {
	if dir == "" {
		return errors.New("this match will not be kept: there is no home folder; --state names another")
	}
	tried := make(chan error, 1)
	go func() {
		err := os.MkdirAll(dir, 0o700)
		if err == nil {
			var f *os.File
			if f, err = os.CreateTemp(dir, "try-*"); err == nil {
				err = errors.Join(f.Close(), os.Remove(f.Name()))
			}
		}
		tried <- err
	}()
	select {
	case err := <-tried:
		var path *fs.PathError
		if errors.As(err, &path) {
			err = fmt.Errorf("this match will not be kept: nothing can be written to %s (%w); --state names another folder", dir, path.Err)
		}
		return err
	case <-ctx.Done():
		return nil
	}
}
