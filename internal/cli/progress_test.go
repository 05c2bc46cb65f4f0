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
		columns := 0
		p := &Progress{out: &errs, columns: func() int { return columns }, started: time.Now()}
		for _, tt := range []struct {
			wait    time.Duration
			columns int
			want    string
		}{
			{time.Second - 1, 0, ""},
			{1, 0, eraseLine + "3 of 4"},
			{time.Second/5 - 1, 0, ""},
			{1, 7, eraseLine + "3 of 4"},
			{time.Second, 6, eraseLine + "3 of…"},
			{time.Second, 2, eraseLine + "…"},
		} {
			time.Sleep(tt.wait)
			columns = tt.columns
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
