//go:build !linux

package main

// memory is how many bytes of it the machine has; 0 when it does not say.
func memory() uint64 { return 0 }
