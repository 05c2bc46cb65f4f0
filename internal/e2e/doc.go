// Package e2e runs tests on a real Linux kernel inside QEMU, on machines without a Sense
// HAT, without KVM and without root.
//
// A guest test is an ordinary Go test behind the build tag "guest". Run, called from an
// ordinary test on the host, builds it as one static binary, packs it with a tiny init
// and the kernel modules it wants into an initramfs, boots that, and reports each guest
// test as a subtest of its own.
//
//	go run ./internal/e2e/prepare                     once: QEMU, kernel, stand-in module
//	go test -tags kernel -count=1 ./internal/e2e      the tests
//
// make e2e-arm64 does the same on the kernel of a 64-bit Pi, with the programs of the
// Debian packages for Pis; that takes its time, and is no part of CI.
//
// What lies where:
//
//	guest     the tests of the rig itself; guest/init is the guest's first process
//	standin   the kernel modules that stand in for the LED matrix, and for a board without
//	          a driver, and Go's way to them
//	uinput    joysticks with the HAT's name whose keys a test presses
//	kernel    the Debian kernel and its modules in the cache; prepare fills it
//	plan      what host and guest agree on
//	machine   tests of a whole Debian with systemd and the package, on a disk of its own
package e2e
