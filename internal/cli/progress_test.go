package cli

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"
)

// Progress starts after a second, and is then shown at intervals.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var errs bytes.Buffer
		p := &Progress{out: &errs, started: time.Now()}
		for _, tt := range []struct {
			wait time.Duration
			want string
		}{
			{time.Second - 1, ""},
			{1, eraseLine + "3 of 4"},
			{time.Second/5 - 1, ""},
			{1, eraseLine + "3 of 4"},
		} {
			time.Sleep(tt.wait)
			if p.Show("%d of %d", 3, 4); errs.String() != tt.want {
				t.Errorf("%q, want %q", &errs, tt.want)
			}
			errs.Reset()
		}
		p.Clear()
		p.Clear()
		if errs.String() != eraseLine {
			t.Errorf("%q clears the line", &errs)
		}
	})
}
