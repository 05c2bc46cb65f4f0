//go:build !linux

package hat

// Devices lists nothing: the HAT's drivers are Linux's.
func Devices() (framebuffers, inputs []Device) { return nil, nil }
