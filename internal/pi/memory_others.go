//go:build !linux

package pi

// Memory returns 0: the size of the memory is unknown.
func Memory() uint64 { return 0 }
