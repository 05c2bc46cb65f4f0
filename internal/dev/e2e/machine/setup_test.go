//go:build machine

package machine

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/dev/e2e/kernel"
	"github.com/c4hat/c4hat/internal/dev/socketdir"
)

var (
	deb = flag.String("deb", "", "the package to test; if empty, the newest from make deb in build")
	// "make previous" builds this package.
	previous = flag.String("previous", "", "the last release's package, for an upgrade")

	system = flag.String("system", "13", "the Debian that boots: 12, 13 or 13-arm64")
	cuts   = flag.Int("cuts", 1, "number of power cuts")
	ends   = flag.Int("reboots", 1, "number of shutdowns and reboots")
	boots  = flag.Int("boots", 0, "number of boots for a time line")

	presses = flag.Int("presses", 20, "number of presses that are timed")
	floods  = flag.Duration("floods", 3*time.Second, "how long each flood of requests lasts")
)

// workDir holds all files. Its name is short because socket paths must be.
var workDir string

func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "ssh" {
		sshStandIn()
	}
	flag.Parse()
	var err error
	if workDir, err = os.MkdirTemp(socketdir.Parent(), "c4hat-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	stopped := make(chan os.Signal, 1)
	signal.Notify(stopped, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-stopped
		_ = os.RemoveAll(workDir)
		os.Exit(130)
	}()
	status := m.Run()
	_ = os.RemoveAll(workDir)
	os.Exit(status)
}

// image returns the image, which is built once. If a prerequisite is missing, it skips
// the test, or fails it if CI=true.
func image(t *testing.T) *Image {
	t.Helper()
	i, err := builtImage()
	switch {
	case err == nil:
		return i
	case os.Getenv("CI") == "true" || !errors.Is(err, errUnprepared):
		t.Fatal(err)
	}
	t.Skip(err)
	return nil
}

var errUnprepared = errors.New("first, as root: make deb; go run ./internal/dev/e2e/prepare machine, with the release of Debian")

var builtImage = sync.OnceValues(func() (*Image, error) { return buildImage(workDir, "") })

// buildImage builds an image in a folder; more is for [NewImage].
func buildImage(dir, more string) (*Image, error) {
	s, err := kernel.ParseSystem(*system)
	if err != nil {
		return nil, err
	}
	for _, missing := range []func() (string, error){
		func() (string, error) { return kernel.Debian(s) },
		func() (string, error) { _, err := kernel.Cached(s); return "", err },
		func() (string, error) { return findPackage(s.Arch) },
	} {
		if _, err := missing(); err != nil {
			return nil, fmt.Errorf("%w; %w", err, errUnprepared)
		}
	}
	file, err := findPackage(s.Arch)
	if err != nil {
		return nil, err
	}
	return NewImage(context.Background(), dir, s, file, *previous, more)
}

// findPackage returns the newest package in build.
func findPackage(arch string) (newest string, err error) {
	if *deb != "" {
		return *deb, nil
	}
	pattern := "../../../../build/c4hat_*_" + arch + ".deb"
	files, err := filepath.Glob(pattern)
	if err != nil {
		return "", err
	}
	var made time.Time
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			return "", err
		}
		if info.ModTime().After(made) {
			newest, made = file, info.ModTime()
		}
	}
	if newest == "" {
		return "", fmt.Errorf("no file %s", pattern)
	}
	return newest, nil
}
