package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// access is what this user may open of the HAT.
type access struct {
	denied []string // devices
	join   []string // groups whose member the user is not
	relog  bool     // a member, but not yet in this session
	remode []string // devices that their own group may not open, or that have no such group
	broken error    // something else
}

// access tries to open the devices that are there.
func (m *patient) access(matrix, joystick device) (a access) {
	groups := m.groupFile()
	for _, part := range []struct {
		device
		group string
		flag  int
	}{{matrix, "video", os.O_RDWR}, {joystick, "input", os.O_RDONLY}} {
		if !part.there {
			continue
		}
		gid, err := m.open(m.at(part.path), part.flag)
		switch {
		case err == nil:
			continue
		case !errors.Is(err, fs.ErrPermission):
			a.broken = err
			continue
		}
		a.denied = append(a.denied, part.path)
		switch g := groups[part.group]; {
		case g.gid != gid, slices.Contains(m.groups, gid):
			a.remode = append(a.remode, "sudo chgrp "+part.group+" "+part.path+"; sudo chmod g+rw "+part.path)
		case slices.Contains(g.members, m.user):
			a.relog = true
		default:
			a.join = append(a.join, part.group)
		}
	}
	return a
}

type group struct {
	gid     int
	members []string
}

// groupFile reads /etc/group (group(5)): the session has what it said at the login.
func (m *patient) groupFile() map[string]group {
	groups := map[string]group{}
	for line := range strings.Lines(m.text(m.at("/etc/group"))) {
		f := strings.Split(strings.TrimSpace(line), ":")
		if len(f) != 4 {
			continue
		}
		if gid, err := strconv.Atoi(f[2]); err == nil {
			groups[f[0]] = group{gid, strings.Split(f[3], ",")}
		}
	}
	return groups
}

// service is c4hat.service, as systemd's files show it.
type service struct {
	systemd, installed, masked, enabled bool
	processes                           []int
}

func (m *patient) service() (s service) {
	_, err := os.Stat(m.at("/run/systemd/system")) // sd_booted(3)
	s.systemd = err == nil
	for _, dir := range []string{"/etc", "/usr/local/lib", "/usr/lib", "/lib"} {
		unit := m.at(dir + "/systemd/system/c4hat.service")
		if to, _ := os.Readlink(unit); to == "/dev/null" {
			s.masked = true
		}
		if _, err := os.Lstat(unit); err == nil {
			s.installed = true
		}
	}
	_, err = os.Lstat(m.at("/etc/systemd/system/multi-user.target.wants/c4hat.service"))
	s.enabled = err == nil
	for _, tree := range []string{"", "systemd", "unified"} { // cgroups(7): version 2 alone, 1, both
		for pid := range strings.Lines(m.text(m.at("/sys/fs/cgroup"), tree, "system.slice/c4hat.service/cgroup.procs")) {
			if n, err := strconv.Atoi(strings.TrimSpace(pid)); err == nil {
				s.processes = append(s.processes, n)
			}
		}
	}
	return s
}

// folder is one of matches.
type folder struct {
	path     string
	missing  bool // not made yet
	hidden   bool // from this user
	damaged  bool // a match that could not be read lies there
	readonly bool // the disk
	denied   bool // nothing can be made there, for that reason or another
	free     uint64
	full     bool // as good as
}

// leastFree is what a match and a good many in the history need.
const leastFree = 1 << 20

// folder looks at a folder, or where it would be made.
func (m *patient) folder(path string) folder {
	d := folder{path: path}
	if path == "" {
		return d
	}
	_, err := m.stat(m.at(path))
	d.missing, d.hidden = errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission)
	_, err = m.stat(m.at(filepath.Join(path, "match.json.bad")))
	d.damaged = err == nil
	nearest := path
	for ; nearest != filepath.Dir(nearest); nearest = filepath.Dir(nearest) {
		if _, err := m.stat(m.at(nearest)); err == nil {
			break
		}
	}
	err = m.write(m.at(nearest))
	d.readonly = errors.Is(err, syscall.EROFS)
	d.denied = err != nil
	d.free, err = m.free(m.at(nearest))
	d.full = err == nil && d.free < leastFree
	return d
}
