package match

import (
	"encoding/json"
	"strconv"
	"testing"
)

// A level is read by its name or number, and saved as its name.
func TestLevels(t *testing.T) {
	if LevelCount != int(Perfect) {
		t.Fatalf("%d names for %d levels", LevelCount, Perfect)
	}
	for i, name := range LevelNames() {
		want := Level(i + 1)
		if data, err := json.Marshal(want); err != nil || string(data) != strconv.Quote(name) || want.String() != name {
			t.Errorf("%v is written as %s, %v", want, data, err)
		}
		for _, s := range []string{name, strconv.Itoa(i + 1)} {
			var read Level
			if l, err := ParseLevel(s); err != nil || l != want {
				t.Errorf("%q: %v, %v", s, l, err)
			}
			if err := json.Unmarshal([]byte(strconv.Quote(s)), &read); err != nil || read != want {
				t.Errorf("%q is read as %v, %v", s, read, err)
			}
		}
	}
	for _, bad := range []string{"", "0", "77", "Hard", "01", " 1", "level 7", Level(77).String()} {
		if l, err := ParseLevel(bad); err == nil {
			t.Errorf("%q: %v", bad, l)
		}
	}
	for _, bad := range []string{`-1`, `0`, `1.5`, `""`, `"great"`, `true`, `[]`} {
		var read Level
		if err := json.Unmarshal([]byte(bad), &read); err == nil {
			t.Errorf("%s is read as %v", bad, read)
		}
	}
}
