//go:build !linux

package hat

// Devices returns nothing: the HAT's drivers are for Linux.
func Devices() (framebuffers, inputs []Device) { return nil, nil }
