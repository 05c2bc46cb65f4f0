package hat

import (
	"os"
	"path/filepath"
	"strings"
)

// Devices lists the kernel's framebuffers and input devices, without opening any. The HAT's
// matrix is the framebuffer called [MatrixName], its joystick the input device called
// [JoystickName].
func Devices() (framebuffers, inputs []Device) {
	framebuffers, _ = kernel().devices(matrixPart())
	inputs, _ = kernel().devices(joystickPart())
	return framebuffers, inputs
}

// devices lists the part's kind of device, in the order of their file names.
func (s system) devices(p part) (all []Device, err error) {
	class := filepath.Join(s.sys, "class", p.class)
	entries, err := os.ReadDir(class)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), p.prefix) {
			continue
		}
		name, err := os.ReadFile(filepath.Join(class, e.Name(), p.nameAt))
		if err == nil {
			all = append(all, Device{strings.TrimSpace(string(name)), filepath.Join(s.dir(p), e.Name())})
		}
	}
	return all, err
}
