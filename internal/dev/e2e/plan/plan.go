// Package plan is the protocol between host and guest of a kernel test: the host packs a
// Plan, and the guest's init executes it and replies over the serial line.
package plan

const (
	// Path is the Plan's file in the guest, as JSON.
	Path = "/plan.json"
	// Test is the path of the test binary in the guest.
	Test = "/guest.test"
	// End starts the last line of the results. Passed or the reason for failure follows.
	End = "guest ended: "
	// Passed means that the test binary had exit status 0.
	Passed = "passed"
)

// Plan is what the guest does after its kernel has booted.
type Plan struct {
	Modules []Module // in load order
	Args    []string // of the test binary
	Results string   // the serial port for the test binary's output alone; the console uses another
	Disk    string   // "/dev/vda": instead of running the test binary, boot the system on this disk
}

// Module is a kernel module in the guest.
type Module struct {
	Path   string // of the .ko file
	Params string // as on the kernel command line, "vfb_enable=1"
}
