//go:build !linux

package pi

import "periph.io/x/conn/v3/gpio"

// KeysLine returns nil: only Linux has the interface that line uses.
func KeysLine() gpio.PinIn { return nil }

// Memory returns 0: the size of the memory is unknown.
func Memory() uint64 { return 0 }
