package levels

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	if Count != int(Perfect) {
		t.Fatalf("%d names for %d levels", Count, Perfect)
	}
	for i, name := range Names() {
		for _, s := range []string{name, string(rune('1' + i))} {
			if l, err := Parse(s); err != nil || l != Level(i+1) || l.String() != name {
				t.Errorf("%q: %v, %v", s, l, err)
			}
		}
	}
	for _, s := range []string{"", "0", "77", "Hard", "01", " 1"} {
		if l, err := Parse(s); err == nil {
			t.Errorf("%q: %v", s, l)
		}
	}
	if got := Level(77).String(); got != "level 77" {
		t.Error(got)
	}
	_, err := Parse("grandmaster")
	for _, name := range Names() {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%v lacks %s", err, name)
		}
	}
}
