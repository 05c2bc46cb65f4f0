// Package plan is what the host and the guest of a kernel test agree on: the host
// packs a Plan, the guest's init carries it out and answers over the serial line.
package plan

const (
	// Path is where the Plan lies in the guest, as JSON.
	Path = "/plan.json"
	// Test is where the test binary lies in the guest.
	Test = "/guest.test"
	// End starts the last line of the results; after it stands Passed or the reason why not.
	End = "guest ended: "
	// Passed is the reason of a test binary that ended with exit status 0.
	Passed = "passed"
)

// Plan is what the guest does once its kernel runs.
type Plan struct {
	Modules []Module // in the order in which to load them
	Args    []string // of the test binary
	Results string   // the serial port for its output and nothing else; the console is another
	Disk    string   // "/dev/vda": not to run the test binary, but to go on with the system there
}

// Module is a kernel module in the guest.
type Module struct {
	Path   string // of the .ko file
	Params string // as on the kernel command line, "vfb_enable=1"
}
