package store

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"maps"
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
	safe, now files        // as on the disk, and as programs see it
	late      []op         // the changes from safe to now
	locked    map[int]bool // by number

	mu    sync.Mutex            // guards what is above
	slow  time.Duration         // how long a sync takes
	fault func(op string) error // fails an operation with its error; may be nil
	after func()                // called after an operation that changed something; may be nil
}

// files are files and folders. Each has a number, as a name may change.
type files struct {
	names map[string]int
	data  map[int]string
}

func (f files) clone() files { return files{maps.Clone(f.names), maps.Clone(f.data)} }

// op is a change: a write at an offset, a truncation to that size, or a naming: a creation, a removal or,
// with both names, a renaming.
type op struct {
	kind     string // write, truncate or name
	file     int
	from, to string
	at       int
	data     string
}

func (o op) apply(f files) {
	old := f.data[o.file]
	upTo := old[:min(o.at, len(old))] + strings.Repeat("\x00", max(0, o.at-len(old)))
	switch o.kind {
	case "truncate":
		f.data[o.file] = upTo
	case "write":
		f.data[o.file] = upTo + o.data + old[min(o.at+len(o.data), len(old)):]
	case "name":
		delete(f.names, o.from)
		if o.to != "" {
			f.names[o.to] = o.file
		}
	}
}

// diskOf returns a disk with files that are all on it.
func diskOf(f files) *fakeDisk { return &fakeDisk{safe: f, now: f.clone(), locked: map[int]bool{}} }

// newFakeDisk returns a disk with only a root folder, which cannot be lost.
func newFakeDisk() *fakeDisk { return diskOf(files{map[string]int{"/": 0}, map[int]string{0: ""}}) }

func (d *fakeDisk) has(name string) bool {
	_, ok := d.now.names[name]
	return ok
}

// content returns what programs read in a file.
func (d *fakeDisk) content(name string) []byte { return []byte(d.now.data[d.now.names[name]]) }

// set replaces what is in a file, on the disk too.
func (d *fakeDisk) set(name string, data []byte) {
	d.now.data[d.now.names[name]], d.safe.data[d.safe.names[name]] = string(data), string(data)
}

// do runs an operation. The test can make it fail, and is called after it if it changes something.
func (d *fakeDisk) do(op, name string, f func() error) error {
	d.mu.Lock()
	err, before := error(nil), len(d.late)
	if d.fault != nil {
		err = d.fault(op)
	}
	if err == nil {
		err = f()
	}
	changed := len(d.late) != before
	d.mu.Unlock()
	if err != nil {
		return &fs.PathError{Op: op, Path: name, Err: err}
	}
	if changed && d.after != nil {
		d.after()
	}
	return nil
}

func (d *fakeDisk) change(o op) {
	o.apply(d.now)
	again := func(old op) bool {
		return o.kind == "write" && old.kind == "write" && old.file == o.file && old.at == o.at
	}
	d.late = append(slices.DeleteFunc(d.late, again), o) // a disk that is full leaves many half lines, one over the other
}

// settle makes changes survive a power cut or, if they are lost, forgets them.
func (d *fakeDisk) settle(lost bool, which func(op) bool) {
	d.late = slices.DeleteFunc(d.late, func(o op) bool {
		if which(o) && !lost {
			o.apply(d.safe)
		}
		return which(o)
	})
}

// add creates a file or a folder, unless it is there, and returns its number.
func (d *fakeDisk) add(name string) (number int, err error) {
	if !d.has(name) {
		if !d.has(path.Dir(name)) {
			return 0, syscall.ENOENT
		}
		number = len(d.now.data)
		d.now.data[number], d.safe.data[number] = "", ""
		d.change(op{kind: "name", to: name, file: number})
	}
	return d.now.names[name], nil
}

func (d *fakeDisk) read(name string, most int64) (end []byte, before int64, err error) {
	err = d.do("read", name, func() error {
		if !d.has(name) {
			return syscall.ENOENT
		}
		end = d.content(name)
		before = max(0, int64(len(end))-most)
		return nil
	})
	return end[before:], before, err
}

func (d *fakeDisk) create(name string) (file, error) {
	h := &handle{disk: d, name: name}
	return h, d.do("create", name, func() (err error) {
		h.file, err = d.add(name)
		return err
	})
}

func (d *fakeDisk) rename(from, to string) error {
	return d.do("rename", from, func() error {
		if !d.has(from) {
			return syscall.ENOENT
		}
		d.change(op{kind: "name", file: d.now.names[from], from: from, to: to})
		return nil
	})
}

func (d *fakeDisk) remove(name string) error { return d.rename(name, "") }

func (d *fakeDisk) mkdirAll(name string) (err error) {
	if parent := path.Dir(name); parent != name {
		err = d.mkdirAll(parent)
	}
	if err == nil {
		err = d.do("mkdir", name, func() error {
			_, err := d.add(name)
			return err
		})
	}
	return err
}

func (d *fakeDisk) syncDir(name string) error {
	return d.do("sync", name, func() error {
		d.settle(false, func(o op) bool { return o.kind == "name" && path.Dir(cmp.Or(o.to, o.from)) == name })
		return nil
	})
}

func (d *fakeDisk) lock(name string, _ bool) (io.Closer, error) {
	f, err := d.create(name)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	h := f.(*handle)
	if d.locked[h.file] {
		return nil, ErrOpen
	}
	d.locked[h.file] = true
	return fakeLock{h}, nil
}

// fakeLock is a lock of a file.
type fakeLock struct{ *handle }

func (l fakeLock) Close() error {
	l.disk.mu.Lock()
	defer l.disk.mu.Unlock()
	l.disk.locked[l.file] = false
	return nil
}

// handle is a file that is open for writing.
type handle struct {
	disk *fakeDisk
	file int
	name string
}

func (h *handle) WriteAt(b []byte, at int64) (n int, err error) {
	err = h.disk.do("write", h.name, func() (err error) {
		if n = len(b); h.disk.fault != nil && h.disk.fault("short write") != nil {
			n, err = n/2, syscall.ENOSPC // the disk is full in the middle
		}
		h.disk.change(op{kind: "write", file: h.file, at: int(at), data: string(b[:n])})
		return err
	})
	return n, err
}

func (h *handle) Truncate(size int64) error {
	return h.disk.do("truncate", h.name, func() error {
		if int(size) != len(h.disk.now.data[h.file]) {
			h.disk.change(op{kind: "truncate", file: h.file, at: int(size)})
		}
		return nil
	})
}

func (h *handle) Sync() error {
	h.disk.mu.Lock()
	slow := h.disk.slow
	h.disk.mu.Unlock()
	time.Sleep(slow)
	data := func(o op) bool { return o.kind != "name" && o.file == h.file }
	err := h.disk.do("sync", h.name, func() error {
		h.disk.settle(false, data)
		return nil
	})
	h.disk.mu.Lock()
	defer h.disk.mu.Unlock()
	h.disk.settle(true, data) // what a failed sync has not written is lost
	return err
}

func (h *handle) Close() error { return nil }

// clone returns the disk as a killed program leaves it.
func (d *fakeDisk) clone() *fakeDisk {
	d.mu.Lock()
	defer d.mu.Unlock()
	return &fakeDisk{safe: d.safe.clone(), now: d.now.clone(), late: slices.Clone(d.late), locked: map[int]bool{}}
}

// cut yields every disk that a power cut may leave behind: with each change lost or kept, and the last write of each
// file also in part, or with zeros.
func (d *fakeDisk) cut() iter.Seq[*fakeDisk] {
	if len(d.late) > 10 {
		panic(fmt.Sprintf("the disk has %d unsynced changes", len(d.late)))
	}
	return func(yield func(*fakeDisk) bool) { d.keep(len(d.late)-1, nil, yield) }
}

// keep yields the disks on which the last changes are kept, with every choice of those up to the index i.
func (d *fakeDisk) keep(i int, kept []op, yield func(*fakeDisk) bool) bool {
	if i < 0 {
		left := d.safe.clone()
		for _, o := range kept {
			o.apply(left)
		}
		for _, name := range slices.Sorted(maps.Keys(left.names)) { // files in a lost folder are lost too
			if _, ok := left.names[path.Dir(name)]; !ok {
				delete(left.names, name)
			}
		}
		return yield(diskOf(left))
	}
	o := d.late[i]
	all := []op{o}
	if o.kind == "write" && !slices.ContainsFunc(kept, func(later op) bool { return later.kind != "name" && later.file == o.file }) {
		for _, there := range []int{0, 1, len(o.data) / 2, len(o.data) - 1} {
			for _, zeros := range []int{0, len(o.data) - there} {
				torn := o
				torn.data = o.data[:there] + strings.Repeat("\x00", zeros)
				all = append(all, torn)
			}
		}
	}
	for _, o := range all {
		if !d.keep(i-1, append([]op{o}, kept...), yield) {
			return false
		}
	}
	return d.keep(i-1, kept, yield)
}

// String returns the complete state, to compare disks and to print them.
func (d *fakeDisk) String() string {
	var s strings.Builder
	for i, f := range []files{d.now, d.safe} {
		for _, name := range slices.Sorted(maps.Keys(f.names)) {
			fmt.Fprintf(&s, "%s %q\n", name, f.data[f.names[name]])
		}
		s.WriteString([]string{"on the disk:\n", ""}[i])
	}
	for _, o := range d.late {
		fmt.Fprintf(&s, "late: %s %d %q -> %q at %d %q\n", o.kind, o.file, o.from, o.to, o.at, o.data)
	}
	return s.String()
}
