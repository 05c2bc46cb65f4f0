//go:build guest

package guest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hears waits until the program has opened a joystick that is plugged in: earlier presses are lost.
func (p *running) hears(t *testing.T) {
	t.Helper()
	eventually(t, func() (bool, any) {
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.Process.Pid))
		var open []string
		for _, file := range files {
			path, _ := os.Readlink(file)
			if strings.HasPrefix(path, "/dev/input/event") && !strings.HasSuffix(path, " (deleted)") {
				return true, nil
			}
			open = append(open, path)
		}
		return false, fmt.Sprintf("the program has opened %q, but no joystick", open)
	})
}
