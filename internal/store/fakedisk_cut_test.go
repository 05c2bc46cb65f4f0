package store

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"
)

// clone returns the disk as a killed program leaves it.
func (d *fakeDisk) clone() *fakeDisk {
	d.mu.Lock()
	defer d.mu.Unlock()
	copies := map[*node]*node{nil: nil}
	of := func(n *node) *node {
		if copies[n] == nil && n != nil {
			c := *n
			c.late, c.locked = slices.Clone(n.late), false
			copies[n] = &c
		}
		return copies[n]
	}
	c := &fakeDisk{safe: map[string]*node{}, names: map[string]*node{}}
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
			for name := range names { // files in a lost folder are lost too
				for above := path.Dir(name); ; above = path.Dir(above) {
					if names[above] == nil {
						delete(names, name)
					}
					if above == "/" {
						break
					}
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
	old := names[todo[0]]
	for _, data := range old.cut() {
		n := &node{folder: old.folder, safe: data, now: data}
		d.safe[todo[0]], d.names[todo[0]] = n, n
		if !cutFiles(names, todo[1:], d, yield) {
			return false
		}
	}
	return true
}

// cut returns all contents that a power cut may leave in the file, without repetition.
func (n *node) cut() (all [][]byte) {
	if len(n.late) == 0 {
		return [][]byte{n.safe}
	}
	seen := map[string]bool{}
	add := func(b []byte) {
		if !seen[string(b)] {
			seen[string(b)] = true
			all = append(all, b)
		}
	}
	for kept := range subsets(n.late) {
		b := n.safe
		for i, c := range kept {
			if size := len(c.data); i == len(kept)-1 && size > 0 {
				for _, there := range []int{0, 1, size / 2, size - 1} {
					add(change{c.at, c.data[:there]}.apply(b))
					zeros := make([]byte, size)
					copy(zeros, c.data[:there])
					add(change{c.at, zeros}.apply(b))
				}
			}
			b = c.apply(b)
		}
		add(b)
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
	short := func(data []byte) string {
		text := bytes.TrimRight(data, "\x00")
		return fmt.Sprintf("%q and %d zeros", text, len(data)-len(text))
	}
	for _, name := range slices.Sorted(maps.Keys(d.names)) {
		n := d.names[name]
		fmt.Fprint(&s, name, " ", short(n.now))
		if len(n.late) > 0 || !bytes.Equal(n.now, n.safe) {
			fmt.Fprintf(&s, " on the disk %s then", short(n.safe))
			for _, c := range n.late {
				fmt.Fprintf(&s, " at %d %v %s", c.at, c.data == nil, short(c.data))
			}
		}
		s.WriteByte('\n')
	}
	for _, l := range d.late {
		fmt.Fprintf(&s, "late: %s -> %s\n", l.from, l.to)
	}
	return s.String()
}
