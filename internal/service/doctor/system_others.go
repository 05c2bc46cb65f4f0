//go:build !linux

package doctor

// Never called: without Linux there is nothing to check.
func tryOpen(string, int) error                  { panic("no Linux") }
func freeSpace(string) (bytes uint64, err error) { panic("no Linux") }
func tryWrite(string) error                      { panic("no Linux") }
