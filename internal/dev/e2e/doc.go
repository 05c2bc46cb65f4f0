// Package e2e runs tests on a real Linux kernel inside QEMU, on machines without a Sense
// HAT, without KVM and without root.
//
// A guest test is an ordinary Go test with the build tag "guest". Run, called from an
// ordinary test on the host, builds it as one static binary, packs it into an initramfs with a tiny
// init and the kernel modules it needs, boots the guest, and reports each guest test as a subtest.
//
//	go run ./internal/dev/e2e/prepare                     once, as root: install QEMU, a kernel and the stand-in's modules
//	go test -tags kernel -count=1 ./internal/dev/e2e      run the tests
//
// These commands use the kernel of Debian 13. To use Debian 12's, append "kernel 12" to the first
// and "-system 12" to the second. make e2e-arm64 does the same on the kernel of a 64-bit Pi, with
// the programs from the Debian packages for Pis, and boots a whole Debian 13. It is slow and not
// part of CI.
//
// Subfolders:
//
//	guest     the guest tests; guest/init is the guest's first process
//	standin   the kernel modules that stand in for the LED matrix and for a board without
//	          a driver, and their Go API
//	uinput    joysticks with the HAT's name whose keys a test presses
//	kernel    Debian, its kernel and its modules in the cache; prepare fills it
//	plan      what the host tells the guest to do
//	machine   tests of a complete Debian with systemd and the package, on its own disk
package e2e
