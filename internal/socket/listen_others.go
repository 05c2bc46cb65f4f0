//go:build !unix

package socket

import "io/fs"

// restrict does nothing: files here have no modes.
func restrict(uintptr, uint32) {}

// gidOf returns -1: files here have no groups.
func gidOf(fs.FileInfo) int { return -1 }
