//go:build !unix

package control

import "io/fs"

// restrict does nothing: files here have no modes.
func restrict(uintptr, uint32) {}

// groupOf returns nothing: files here have no groups.
func groupOf(fs.FileInfo) string { return "" }

func gidOf(fs.FileInfo) int { return -1 }
