package settings

import "testing"

// A seed is never 0, because 0 means no seed.
func TestSeeds(t *testing.T) {
	for _, s := range []string{"0", "1", "18446744073709551615"} {
		var v Seed
		if err := v.Set(s); err != nil || v.N == 0 {
			t.Errorf("%s: %d, %v", s, v.N, err)
		}
	}
}
