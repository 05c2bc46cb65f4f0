//go:build !linux

package bot

import (
	"os"
	"syscall"
	"time"
)

// usage returns what counts as sleep: here nobody knows what a program uses.
func (p *Program) usage() (used time.Duration, awake bool) { return 0, false }

// unread reports whether a program may not have read its first line yet: here nobody knows.
func unread(*os.File) bool { return true }

func limit(int) {}

func dieWithParent(*syscall.SysProcAttr) {}
