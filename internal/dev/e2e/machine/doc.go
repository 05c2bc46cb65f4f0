// Package machine tests c4hat's Debian package on a complete Debian with systemd in QEMU,
// without a Pi: it boots, plays with the joystick, reads the LEDs, injects faults and cuts the
// power. Package standin provides the LED matrix, package uinput the joystick.
//
//	go run ./internal/dev/e2e/prepare machine                               once, as root
//	make deb && go test -tags machine -count=1 ./internal/dev/e2e/machine   run the tests, as root
//
// Each machine is a QEMU process with a copy of one disk image; most go on from one that has booted. The tests talk to an
// agent in it (package inside), and log in on its serial console.
package machine
