package main

import "testing"

// Every number makes a run repeatable: none of them is the seed that means none.
func TestSeeds(t *testing.T) {
	for _, s := range []string{"0", "1", "18446744073709551615"} {
		var v seedValue
		if err := v.Set(s); err != nil || v.n == 0 {
			t.Errorf("%s: %d, %v", s, v.n, err)
		}
	}
}
