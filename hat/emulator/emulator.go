// Package emulator opens the Sense HAT emulator of the Raspberry Pi desktop: the window of
// sense_emu_gui, from python-sense-emu (RPi-Distro/python-sense-emu, sense_emu/screen.py and
// stick.py).
//
// The screen is a file, which remains when the emulator exits. A picture that is then written to it
// appears when the emulator starts again. The joystick can be opened only while the emulator is
// running, and a program can have it open only once at a time. On systems other than Linux every
// function fails with [hat.ErrNotFound].
package emulator

// Devices opens the emulator as the functions of package hat of the same names open a HAT.
// hat.Opts.Framebuffer and Joystick name the emulator's two files; "" is the default file in /dev/shm.
type Devices struct{}
