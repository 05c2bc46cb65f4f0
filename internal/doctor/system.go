package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/internal/speech"
)

// access describes which devices of the HAT this user may open.
type access struct {
	denied    []string // devices
	join      []string // groups that the user is not in
	relog     bool     // the user joined the group after this session began
	modeFixes []string // commands for devices with the wrong group or permissions
	openErr   error    // an error other than a missing permission
}

// access tries to open the devices whose files exist.
func (m *machine) access(matrix, joystick device) (a access) {
	groups := m.groupFile()
	for _, d := range []struct {
		device
		group string
		flag  int
	}{{matrix, "video", os.O_RDWR}, {joystick, "input", os.O_RDONLY}} {
		if !d.exists {
			continue
		}
		gid, err := m.open(d.path, d.flag)
		switch {
		case err == nil:
			continue
		case !errors.Is(err, fs.ErrPermission):
			a.openErr = err
			continue
		}
		a.denied = append(a.denied, d.path)
		switch g := groups[d.group]; {
		case g.gid != gid, slices.Contains(m.groups, gid):
			a.modeFixes = append(a.modeFixes, "sudo chgrp "+d.group+" "+d.path+"; sudo chmod g+rw "+d.path)
		case slices.Contains(g.members, m.user):
			a.relog = true
		default:
			a.join = append(a.join, d.group)
		}
	}
	return a
}

type group struct {
	gid     int
	members []string
}

// groupFile reads /etc/group (group(5)). Changes in it take effect at the next login.
func (m *machine) groupFile() map[string]group {
	groups := map[string]group{}
	for line := range strings.Lines(m.text("/etc/group")) {
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

// service is the state of c4hat.service, read from systemd's files.
type service struct {
	systemd, installed, masked, enabled bool
	processes                           []int
}

func (m *machine) service() (s service) {
	s.systemd = m.exists("/run/systemd/system") // sd_booted(3)
	for _, dir := range []string{"/etc", "/usr/local/lib", "/usr/lib", "/lib"} {
		unit := dir + "/systemd/system/c4hat.service"
		to, _ := fs.ReadLink(m.files, relative(unit))
		s.masked = s.masked || to == "/dev/null"
		s.installed = s.installed || m.exists(unit)
	}
	s.enabled = m.exists("/etc/systemd/system/multi-user.target.wants/c4hat.service")
	for _, tree := range []string{"", "systemd", "unified"} { // cgroups(7): version 2, version 1, both
		for pid := range strings.Lines(m.text("/sys/fs/cgroup", tree, "system.slice/c4hat.service/cgroup.procs")) {
			if n, err := strconv.Atoi(strings.TrimSpace(pid)); err == nil {
				s.processes = append(s.processes, n)
			}
		}
	}
	return s
}

// voice is what c4hat speak finds.
type voice struct {
	engine, card string // empty: none
	enabled      bool   // the unit c4hat-speech
}

func (m *machine) speech() (v voice) {
	for _, path := range []string{"/usr/bin/espeak-ng", "/usr/local/bin/espeak-ng"} {
		if m.exists(path) {
			v.engine = "espeak-ng"
		}
	}
	if slices.ContainsFunc(speech.Sockets(m.env), m.exists) {
		v.engine = "speech-dispatcher"
	}
	// The first card, as in " 0 [Headphones     ]: bcm2835_headpho - bcm2835 Headphones".
	first, _, _ := strings.Cut(m.text("/proc/asound/cards"), "\n")
	_, v.card, _ = strings.Cut(first, " - ")
	v.enabled = m.exists("/etc/systemd/system/c4hat.service.wants/c4hat-speech.service")
	return v
}

type folder struct {
	path     string
	err      error // the error of stat for the folder
	writeErr error // why no file can be created in the folder
	damaged  bool  // the folder has a match that could not be read
	free     uint64
	full     bool // less than leastFree is free
}

// leastFree, in bytes, is enough for the match under way and for many finished matches.
const leastFree = 1 << 20

// folder examines a folder. If the folder does not exist, it examines the nearest existing parent.
func (m *machine) folder(path string) folder {
	d := folder{path: path}
	if path == "" {
		return d
	}
	_, d.err = m.stat(path)
	_, err := m.stat(filepath.Join(path, "match.jsonl.bad"))
	d.damaged = err == nil
	nearest := path
	for ; nearest != filepath.Dir(nearest); nearest = filepath.Dir(nearest) {
		if _, err := m.stat(nearest); err == nil {
			break
		}
	}
	d.writeErr = m.write(nearest)
	d.free, err = m.free(nearest)
	d.full = err == nil && d.free < leastFree
	return d
}
