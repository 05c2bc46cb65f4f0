package store

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync"
	"syscall"
	"time"
)

// fakeDisk is a file system in memory that knows what a power cut may lose. It guarantees what
// POSIX and the manual pages guarantee, and nothing more:
//
//   - A file's data is on the disk once fsync(2) of the file has returned. Before that,
//     any of its writes and truncations may be on the disk or not, the last one in part,
//     and there may be zeros instead of data: a file's size can reach the disk before its
//     data (ext4, delayed allocation).
//     fdatasync(2), which the store calls on Linux, promises the same of data and size.
//   - Data that a failed fsync did not write is not written by a later one, though
//     programs still see it (fsync(2), EIO).
//   - A creation, renaming or removal is on the disk once fsync(2) of its folder has
//     returned; the file's own fsync is not enough. Before that, each may be on the disk
//     or not, in any order. Each is atomic (rename(2)).
//   - A file whose new name is on the disk may lack its data there.
//   - Killing a program loses nothing, but puts no more on the disk.
//   - A lock, flock(2), ends with the program.
type fakeDisk struct {
	safe  map[string]*node // by name, as on the disk
	names map[string]*node // by name, as programs see it
	late  []naming         // the changes from safe to names

	mu    sync.Mutex            // guards what is above
	slow  time.Duration         // how long a sync takes
	fault func(op string) error // fails an operation with its error; may be nil
	after func(op string)       // called after an operation that changed something; may be nil
}

// node is a file or a folder. Contents are never changed in place.
type node struct {
	folder bool
	safe   []byte
	now    []byte
	late   []change // the changes from safe to now
	locked bool
}

// change is a write at an offset or, without data, a truncation to that size.
type change struct {
	at   int
	data []byte
}

// naming is a creation, a removal or, with both names, a renaming.
type naming struct {
	from, to string
	node     *node
}

func (c change) apply(old []byte) []byte {
	size := max(len(old), c.at+len(c.data))
	if c.data == nil {
		size = c.at
	}
	b := make([]byte, size)
	copy(b, old)
	copy(b[c.at:], c.data)
	return b
}

func (n naming) apply(names map[string]*node) {
	delete(names, n.from)
	if n.to != "" {
		names[n.to] = n.node
	}
}

// newFakeDisk returns a disk with only a root folder, which cannot be lost.
func newFakeDisk() *fakeDisk {
	root := &node{folder: true}
	return &fakeDisk{safe: map[string]*node{"/": root}, names: map[string]*node{"/": root}}
}

func (d *fakeDisk) setSlow(slow time.Duration) {
	d.mu.Lock()
	d.slow = slow
	d.mu.Unlock()
}

func (d *fakeDisk) has(name string) bool { return d.names[name] != nil }

// do runs an operation. The test can make it fail, and is called after it.
func (d *fakeDisk) do(op, name string, f func() (changed bool, errno error)) error {
	if d.fault != nil {
		if err := d.fault(op); err != nil {
			return &fs.PathError{Op: op, Path: name, Err: err}
		}
	}
	d.mu.Lock()
	slow := d.slow
	d.mu.Unlock()
	if op == "sync" || op == "syncDir" {
		time.Sleep(slow)
	}
	d.mu.Lock()
	changed, err := f()
	d.mu.Unlock()
	if err != nil {
		return &fs.PathError{Op: op, Path: name, Err: err}
	}
	if changed && d.after != nil {
		d.after(op)
	}
	return nil
}

func (d *fakeDisk) name(n naming) {
	n.apply(d.names)
	d.late = append(d.late, n)
}

func (d *fakeDisk) open(name string, flag int) (file, error) {
	h := &handle{disk: d, name: name, flag: flag}
	err := d.do("open", name, func() (changed bool, err error) {
		h.node = d.names[name]
		switch {
		case !d.has(path.Dir(name)):
			return false, syscall.ENOENT
		case h.node == nil && flag&os.O_CREATE == 0:
			return false, syscall.ENOENT
		case h.node != nil && flag&os.O_EXCL != 0:
			return false, syscall.EEXIST
		case h.node == nil:
			h.node, changed = &node{}, true
			d.name(naming{to: name, node: h.node})
		}
		return changed, nil
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

func (d *fakeDisk) rename(from, to string) error {
	return d.do("rename", from, func() (bool, error) {
		n := d.names[from]
		if n == nil {
			return false, syscall.ENOENT
		}
		d.name(naming{from, to, n})
		return true, nil
	})
}

func (d *fakeDisk) remove(name string) error {
	return d.do("remove", name, func() (bool, error) {
		if !d.has(name) {
			return false, syscall.ENOENT
		}
		d.name(naming{from: name})
		return true, nil
	})
}

func (d *fakeDisk) mkdir(name string) error {
	return d.do("mkdir", name, func() (bool, error) {
		switch {
		case d.has(name):
			return false, syscall.EEXIST
		case !d.has(path.Dir(name)):
			return false, syscall.ENOENT
		}
		d.name(naming{to: name, node: &node{folder: true}})
		return true, nil
	})
}

func (d *fakeDisk) mkdirAll(dir string) error {
	err := d.mkdir(dir)
	if above := path.Dir(dir); errors.Is(err, fs.ErrNotExist) && above != dir {
		if err := d.mkdirAll(above); err != nil {
			return err
		}
		err = d.mkdir(dir)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

func (d *fakeDisk) syncDir(name string) error {
	return d.do("syncDir", name, func() (changed bool, err error) {
		if !d.has(name) {
			return false, syscall.ENOENT
		}
		d.late = slices.DeleteFunc(d.late, func(n naming) bool {
			if path.Dir(n.from+n.to) != name && path.Dir(n.to) != name {
				return false
			}
			n.apply(d.safe)
			changed = true
			return true
		})
		return changed, nil
	})
}

func (n *node) change(c change) {
	n.now = c.apply(n.now)
	n.late = append(n.late, c)
}

// handle is an open file.
type handle struct {
	disk *fakeDisk
	node *node
	name string
	flag int
	pos  int
}

func (h *handle) Read(b []byte) (n int, err error) {
	err = h.disk.do("read", h.name, func() (bool, error) {
		n = copy(b, h.node.now[min(h.pos, len(h.node.now)):])
		h.pos += n
		return false, nil
	})
	if err == nil && n == 0 {
		err = io.EOF
	}
	return n, err
}

func (h *handle) Seek(at int64, whence int) (int64, error) {
	if whence == io.SeekEnd {
		at += int64(len(h.node.now))
	}
	h.pos = int(at)
	return at, nil
}

func (h *handle) Write(b []byte) (n int, err error) {
	err = h.disk.do("write", h.name, func() (bool, error) {
		if n = len(b); h.disk.fault != nil && h.disk.fault("short write") != nil {
			n, err = n/2, syscall.ENOSPC // the disk is full in the middle
		}
		h.node.change(change{h.pos, bytes.Clone(b[:n])})
		h.pos += n
		return true, err
	})
	return n, err
}

func (h *handle) Sync() error {
	n := h.node
	synced := false
	err := h.disk.do("sync", h.name, func() (bool, error) {
		changed := len(n.late) > 0
		for _, c := range n.late {
			n.safe = c.apply(n.safe)
		}
		n.late, synced = nil, true
		return changed, nil
	})
	if !synced {
		n.late = nil
	}
	return err
}

func (h *handle) Truncate(size int64) error {
	return h.disk.do("truncate", h.name, func() (bool, error) {
		if int(size) == len(h.node.now) {
			return false, nil
		}
		h.node.change(change{at: int(size)})
		return true, nil
	})
}

func (h *handle) Close() error {
	return h.disk.do("close", h.name, func() (bool, error) { return false, nil })
}

// fakeLock is a locked file.
type fakeLock struct{ *handle }

func (d *fakeDisk) lock(name string, _ bool) (io.Closer, error) {
	f, err := d.open(name, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	h := f.(*handle)
	d.mu.Lock()
	defer d.mu.Unlock()
	if h.node.locked {
		return nil, errBusy
	}
	h.node.locked = true
	return fakeLock{h}, nil
}

func (l fakeLock) Close() error {
	l.disk.mu.Lock()
	l.node.locked = false
	l.disk.mu.Unlock()
	return nil
}
