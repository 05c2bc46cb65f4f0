// Package try is for what must succeed before a test can begin.
package try

import "testing"

// Must ends the test if there is an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
