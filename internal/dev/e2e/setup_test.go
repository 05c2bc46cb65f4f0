//go:build machine

package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/c4hat/c4hat/internal/dev/socketdir"
)

var (
	deb      = flag.String("deb", "", "the package to test; if empty, the one of this version in build")
	previous = flag.String("previous", "", "the last release's package, for an upgrade")

	system = flag.String("system", "13", "the Debian that boots: 12, 13 or 13-full")
	cuts   = flag.Int("cuts", 1, "number of power cuts")
	ends   = flag.Int("reboots", 1, "number of shutdowns and reboots")

	presses = flag.Int("presses", 20, "number of presses that are timed")
	floods  = flag.Duration("floods", 3*time.Second, "how long each flood of requests lasts")
)

// workDir holds all files. Its name is short because socket paths must be.
var workDir string

func TestMain(m *testing.M) {
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

// image returns the image, which is built once.
func image(t *testing.T) *Image {
	t.Helper()
	i, err := builtImage()
	if err != nil {
		t.Fatal(err)
	}
	return i
}

var builtImage = sync.OnceValues(func() (*Image, error) { return buildImage(workDir, "") })

// buildImage builds an image in a folder; more is for [NewImage].
func buildImage(dir, more string) (*Image, error) {
	file := *deb
	if file == "" {
		version, err := exec.Command("../release/version").Output()
		if err != nil {
			return nil, err
		}
		file = "../../../build/c4hat_" + strings.TrimSpace(string(version)) + "_amd64.deb"
	}
	return NewImage(dir, *system, file, *previous, more)
}
