//go:build !linux

package pi

// Memory is the size of the memory in bytes, 0 if unknown.
func Memory() uint64 { return 0 }
