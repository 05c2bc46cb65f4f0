package levels

import (
	"encoding/json"
	"strconv"
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

// A level is saved as its name.
func TestJSON(t *testing.T) {
	for l := Novice; int(l) <= Count; l++ {
		data, err := json.Marshal(l)
		if want := strconv.Quote(l.String()); err != nil || string(data) != want {
			t.Errorf("%v is written as %s, %v", l, data, err)
		}
		var read Level
		if err := json.Unmarshal(data, &read); err != nil || read != l {
			t.Errorf("%s is read as %v, %v", data, read, err)
		}
	}
	for _, bad := range []string{`-1`, `0`, `1.5`, `""`, `"great"`, `"Easy"`, `true`, `[]`, `"level 7"`} {
		var read Level
		if err := json.Unmarshal([]byte(bad), &read); err == nil {
			t.Errorf("%s is read as %v", bad, read)
		}
	}
}
