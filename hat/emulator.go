package hat

// Emulator is the Sense HAT emulator of the Raspberry Pi desktop: the window of
// sense_emu_gui, from python-sense-emu (RPi-Distro/python-sense-emu, sense_emu/screen.py
// and stick.py). Its methods do for the emulator what this package's functions of the same
// names do for a HAT. Opts.Framebuffer and Opts.Joystick name its two files; "" is the
// default file in /dev/shm.
//
// The screen's file remains when the emulator exits. A picture that is then written to it appears
// when the emulator starts again. The joystick can be opened only while the emulator is running,
// and a program can have it open only once at a time.
type Emulator struct{}

// emulatedRecord turns a datagram of the emulator into an input_event record of this
// program's word size, and reports whether the datagram is a record. The emulator's records
// have the word size of its Python: 24 bytes with 64-bit words, 16 with 32-bit ones. The time at
// the start of a record is ignored.
func emulatedRecord(datagram []byte) (rec [recordSize]byte, ok bool) {
	if len(datagram) != 24 && len(datagram) != 16 {
		return rec, false
	}
	copy(rec[recordSize-8:], datagram[len(datagram)-8:])
	return rec, true
}
