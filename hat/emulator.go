package hat

// Emulator is the Sense HAT of the Raspberry Pi desktop: the window of
// sense_emu_gui, from python-sense-emu (RPi-Distro/python-sense-emu, sense_emu/screen.py
// and stick.py). Its methods are this package's functions of
// the same names, for the emulator in the place of a HAT; Opts.Framebuffer and
// Opts.Joystick are its two files, where they are not the usual ones in /dev/shm.
//
// The file of its screen stays when the emulator ends, and what is written to it
// then is seen when it starts again. Only the joystick goes away with it, and comes
// back: that it opens means that the emulator runs.
//
// A program can have one joystick of the emulator open at a time.
type Emulator struct{}

// emulatedScreen and emulatedJoystick name a part's file, from screen_filename of
// sense_emu/screen.py and stick_address of sense_emu/stick.py.
func emulatedScreen(o *Opts) string {
	if o != nil && o.Framebuffer != "" {
		return o.Framebuffer
	}
	return "/dev/shm/rpi-sense-emu-screen"
}

func emulatedJoystick(o *Opts) string {
	if o != nil && o.Joystick != "" {
		return o.Joystick
	}
	return "/dev/shm/rpi-sense-emu-stick"
}

// emulatedRecord makes one of this program's input_event records of a datagram of
// the emulator, and says whether it is one. The emulator packs them as its Python
// does a C struct: 24 bytes with words of 64 bits, 16 with words of 32, whatever this
// program has. The times in front are not needed.
func emulatedRecord(datagram []byte) (rec [recordSize]byte, ok bool) {
	if len(datagram) != 24 && len(datagram) != 16 {
		return rec, false
	}
	copy(rec[recordSize-8:], datagram[len(datagram)-8:])
	return rec, true
}
