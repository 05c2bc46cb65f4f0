package store

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/c4hat/c4hat/internal/socketdir"
)

// The store does not wait for files that cannot be a match or a history: it logs one line, and the
// game continues. If match.json is such a file, it is set aside.
func TestIrregularFiles(t *testing.T) {
	steps := scripts(t)["short"]
	kinds := map[string]func(string) error{
		"folder": func(name string) error { return os.Mkdir(name, 0o700) },
		"pipe":   func(name string) error { return syscall.Mkfifo(name, 0o600) },
		"device": func(name string) error { return os.Symlink("/dev/zero", name) },
		"socket": func(name string) error {
			l, err := net.Listen("unix", name)
			if err == nil {
				t.Cleanup(func() { _ = l.Close() })
			}
			return err
		},
		"huge": func(name string) error {
			f, err := os.Create(name)
			if err == nil {
				err = f.Truncate(1 << 40)
			}
			return err
		},
	}
	for kind, make := range kinds {
		t.Run(kind, func(t *testing.T) {
			dir := socketdir.New(t)
			must(t, make(filepath.Join(dir, matchName)))
			log, lines := logged()
			s := mustOpen(t, dir, log)
			if got := look(s); got.resumes || strings.Count(lines.String(), "\n") != 1 {
				t.Errorf("%v, log %s", got, lines)
			}
			runAll(t, s, steps[:2])
			must(t, s.close())

			must(t, make(filepath.Join(dir, historyName)))
			log, lines = logged()
			s = mustOpen(t, dir, log)
			if got := look(s); !got.equal(steps.state(2)) || strings.Count(lines.String(), "\n") != 1 {
				t.Errorf("%v, log %s", got, lines)
			}
			if err := s.finish(steps[1].match, true); err == nil {
				t.Error("a match is in a history that is not a regular file")
			}
			if s.close() == nil {
				t.Error("a match is lost without an error")
			}
			if m, ok := Left(dir); !ok || m != steps[1].match {
				t.Error(m, ok)
			}
		})
	}
}

// A symbolic link in place of a temporary file is replaced, not followed.
func TestLinksNotFollowed(t *testing.T) {
	dir, precious := t.TempDir(), filepath.Join(t.TempDir(), "precious")
	must(t, os.WriteFile(precious, []byte("precious"), 0o600))
	for _, name := range []string{newName, newHistoryName} {
		must(t, os.Symlink(precious, filepath.Join(dir, name)))
	}
	s := mustOpen(t, dir, quiet)
	s.limit = 10
	runAll(t, s, scripts(t)["short"])
	must(t, s.close())
	if data, err := os.ReadFile(precious); string(data) != "precious" {
		t.Errorf("the file behind the link is now %q, %v", data, err)
	}
}
