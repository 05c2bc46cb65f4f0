//go:build !linux

package main

import "periph.io/x/conn/v3/gpio"

// keysLine is none: the pins are behind Linux's interface.
func keysLine() gpio.PinIn { return nil }
