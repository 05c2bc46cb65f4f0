package store

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
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
//   - Data that a failed fsync did not write is not written by a later one, though
//     programs still see it (fsync(2), EIO).
//   - A creation, renaming or removal is on the disk once fsync(2) of its folder has
//     returned; the file's own fsync is not enough. Before that, each may be on the disk
//     or not, in any order. Each is atomic (rename(2)).
//   - A file whose new name is on the disk may lack its data there.
//   - Killing a program loses nothing, but puts no more on the disk.
//   - A lock, flock(2), ends with the program.
type fakeDisk struct {
	safe    map[string]*node // by name, as on the disk
	names   map[string]*node // by name, as programs see it
	late    []naming         // the changes from safe to names
	changes int              // how many there were

	mu    sync.Mutex            // guards what is above
	slow  time.Duration         // how long a sync takes
	fault func(op string) error // fails an operation with its error; may be nil
	after func()                // called after an operation that changed something; may be nil
}

// node is a file or a folder. Contents are never changed in place.
type node struct {
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
	if c.data == nil {
		return append(bytes.Clone(old), make([]byte, max(0, c.at-len(old)))...)[:c.at]
	}
	b := make([]byte, max(len(old), c.at+len(c.data)))
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
	root := &node{}
	return &fakeDisk{safe: map[string]*node{"/": root}, names: map[string]*node{"/": root}}
}

func (d *fakeDisk) setSlow(slow time.Duration) {
	d.mu.Lock()
	d.slow = slow
	d.mu.Unlock()
}

func (d *fakeDisk) has(name string) bool { return d.names[name] != nil }

// do runs an operation. The test can make it fail, and is called after it.
func (d *fakeDisk) do(op, name string, f func() error) error {
	var err error
	if d.fault != nil {
		err = d.fault(op)
	}
	d.mu.Lock()
	before, slow := d.changes, d.slow
	d.mu.Unlock()
	if op == "sync" {
		time.Sleep(slow)
	}
	d.mu.Lock()
	if err == nil {
		err = f()
	}
	changed := d.changes != before
	d.mu.Unlock()
	if err != nil {
		return &fs.PathError{Op: op, Path: name, Err: err}
	}
	if changed && d.after != nil {
		d.after()
	}
	return nil
}

func (d *fakeDisk) name(n naming) {
	n.apply(d.names)
	d.late = append(d.late, n)
	d.changes++
}

func (d *fakeDisk) open(name string, flag int) (file, error) {
	h := &handle{disk: d, name: name}
	err := d.do("open", name, func() error {
		h.node = d.names[name]
		if h.node == nil && (flag&os.O_CREATE == 0 || !d.has(path.Dir(name))) {
			return syscall.ENOENT
		}
		if h.node == nil {
			h.node = &node{}
			d.name(naming{to: name, node: h.node})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

func (d *fakeDisk) rename(from, to string) error {
	return d.do("rename", from, func() error {
		if !d.has(from) {
			return syscall.ENOENT
		}
		d.name(naming{from, to, d.names[from]})
		return nil
	})
}

func (d *fakeDisk) remove(name string) error { return d.rename(name, "") }

func (d *fakeDisk) mkdirAll(name string) error {
	if parent := path.Dir(name); !d.has(parent) {
		if err := d.mkdirAll(parent); err != nil {
			return err
		}
	}
	return d.do("mkdir", name, func() error {
		if !d.has(name) {
			d.name(naming{to: name, node: &node{}})
		}
		return nil
	})
}

func (d *fakeDisk) syncDir(name string) error {
	return d.do("sync", name, func() error {
		if !d.has(name) {
			return syscall.ENOENT
		}
		d.late = slices.DeleteFunc(d.late, func(n naming) bool {
			here := path.Dir(n.from+n.to) == name || path.Dir(n.to) == name
			if here {
				n.apply(d.safe)
				d.changes++
			}
			return here
		})
		return nil
	})
}

func (d *fakeDisk) lock(name string, _ bool) (io.Closer, error) {
	f, err := d.open(name, os.O_CREATE)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	n := f.(*handle).node
	if n.locked {
		return nil, errBusy
	}
	n.locked = true
	return fakeLock(func() {
		d.mu.Lock()
		n.locked = false
		d.mu.Unlock()
	}), nil
}

// fakeLock unlocks a file.
type fakeLock func()

func (unlock fakeLock) Close() error {
	unlock()
	return nil
}

// handle is an open file.
type handle struct {
	disk *fakeDisk
	node *node
	name string
	pos  int
}

func (h *handle) change(c change) {
	h.node.now = c.apply(h.node.now)
	h.node.late = append(h.node.late, c)
	h.disk.changes++
}

func (h *handle) Read(b []byte) (n int, err error) {
	err = h.disk.do("read", h.name, func() error {
		n = copy(b, h.node.now[min(h.pos, len(h.node.now)):])
		h.pos += n
		return nil
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
	err = h.disk.do("write", h.name, func() (err error) {
		if n = len(b); h.disk.fault != nil && h.disk.fault("short write") != nil {
			n, err = n/2, syscall.ENOSPC // the disk is full in the middle
		}
		if n > 0 {
			h.change(change{h.pos, bytes.Clone(b[:n])})
		}
		return err
	})
	return n, err
}

func (h *handle) Truncate(size int64) error {
	return h.disk.do("truncate", h.name, func() error {
		if int(size) != len(h.node.now) {
			h.change(change{at: int(size)})
		}
		return nil
	})
}

func (h *handle) Sync() error {
	n := h.node
	err := h.disk.do("sync", h.name, func() error {
		for _, c := range n.late {
			n.safe = c.apply(n.safe)
			h.disk.changes++
		}
		return nil
	})
	n.late = nil
	return err
}

func (h *handle) Close() error { return nil }

// clone returns the disk as a killed program leaves it.
func (d *fakeDisk) clone() *fakeDisk {
	d.mu.Lock()
	defer d.mu.Unlock()
	copies := map[*node]*node{nil: nil}
	of := func(n *node) *node {
		if copies[n] == nil && n != nil {
			copies[n] = &node{safe: n.safe, now: n.now, late: slices.Clone(n.late)}
		}
		return copies[n]
	}
	c := newFakeDisk()
	for name, n := range d.safe {
		c.safe[name] = of(n)
	}
	for name, n := range d.names {
		c.names[name] = of(n)
	}
	for _, l := range d.late {
		c.late = append(c.late, naming{l.from, l.to, of(l.node)})
	}
	return c
}

// cut yields every disk that a power cut may leave behind.
func (d *fakeDisk) cut() iter.Seq[*fakeDisk] {
	return func(yield func(*fakeDisk) bool) {
		for kept := range subsets(d.late) {
			names := maps.Clone(d.safe)
			for _, l := range kept {
				l.apply(names)
			}
			todo := slices.Sorted(maps.Keys(names))
			for i := 1; i < len(todo); i++ { // files in a lost folder are lost too
				if names[path.Dir(todo[i])] == nil {
					delete(names, todo[i])
				}
			}
			if !cutFiles(names, slices.Sorted(maps.Keys(names)), newFakeDisk(), yield) {
				return
			}
		}
	}
}

// cutFiles yields the disk with all combinations of possible file contents.
func cutFiles(names map[string]*node, todo []string, d *fakeDisk, yield func(*fakeDisk) bool) bool {
	if len(todo) == 0 {
		return yield(d.clone())
	}
	for data := range names[todo[0]].cut() {
		n := &node{safe: []byte(data), now: []byte(data)}
		d.safe[todo[0]], d.names[todo[0]] = n, n
		if !cutFiles(names, todo[1:], d, yield) {
			return false
		}
	}
	return true
}

// cut returns all contents that a power cut may leave in the file.
func (n *node) cut() map[string]bool {
	all := map[string]bool{}
	for kept := range subsets(n.late) {
		b := n.safe
		for i, c := range kept {
			if size := len(c.data); i == len(kept)-1 && size > 0 {
				for _, there := range []int{0, 1, size / 2, size - 1} {
					all[string(change{c.at, c.data[:there:there]}.apply(b))] = true
					all[string(change{c.at, append(c.data[:there:there], make([]byte, size-there)...)}.apply(b))] = true
				}
			}
			b = c.apply(b)
		}
		all[string(b)] = true
	}
	return all
}

// subsets yields all subsets of a list, each in the list's order.
func subsets[T any](list []T) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		if len(list) > 10 {
			panic(fmt.Sprintf("the disk has %d unsynced changes", len(list)))
		}
		for bits := range 1 << len(list) {
			var s []T
			for i, v := range list {
				if bits>>i&1 == 1 {
					s = append(s, v)
				}
			}
			if !yield(s) {
				return
			}
		}
	}
}

// String returns the complete state, to compare disks and to print them.
func (d *fakeDisk) String() string {
	var s strings.Builder
	for _, name := range slices.Sorted(maps.Keys(d.names)) {
		n := d.names[name]
		fmt.Fprintf(&s, "%s %q", name, n.now)
		if len(n.late) > 0 || !bytes.Equal(n.now, n.safe) {
			fmt.Fprintf(&s, " on the disk %q then", n.safe)
			for _, c := range n.late {
				fmt.Fprintf(&s, " at %d %v %q", c.at, c.data == nil, c.data)
			}
		}
		s.WriteByte('\n')
	}
	for _, l := range d.late {
		fmt.Fprintf(&s, "late: %s -> %s\n", l.from, l.to)
	}
	return s.String()
}
