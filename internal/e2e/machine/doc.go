// Package machine runs c4hat's package on a whole Debian with systemd in QEMU, without a
// Pi: it boots, plays with the joystick, looks at the LEDs, breaks things and pulls the
// plug. The LED matrix is the stand-in of package standin, the joystick one of uinput.
//
//	go run ./internal/e2e/prepare machine                               once, as root
//	make deb && go test -tags machine -count=1 ./internal/e2e/machine   the tests, as root
//
// Each machine is a process of QEMU and a copy of one disk image. The tests talk to an
// agent in it (package inside) and to its serial console, as somebody who logs in.
package machine
