package main

import (
	"regexp"
	"testing"
)

var lineFirst = regexp.MustCompile(`^\d+: .`)

// Whatever stands in a configuration file, it is read or named with its line.
func FuzzParseConfig(f *testing.F) {
	f.Add([]byte("[game]\nboard = \"8x8\"\npoints = 3\n[machine]\ndisplay = \"plain\"\n"))
	f.Add([]byte("game.points = 1_000\n'game'.idle = \"\"\"\n10m\"\"\""))
	f.Add([]byte("[[game]]\nfirst = { a = 1 }\n# \xff"))
	f.Add([]byte("[game]\npoints = 0x2\npoints = 1979-05-27"))
	f.Fuzz(func(t *testing.T, doc []byte) {
		settings, err := parseConfig(doc)
		if err != nil && !lineFirst.MatchString(err.Error()) {
			t.Fatalf("no line: %v", err)
		}
		for _, s := range settings {
			if s.line < 1 || newPlay().Flags().Lookup(s.key) == nil {
				t.Fatalf("%+v", s)
			}
		}
	})
}

// Every key of the configuration file is a flag, so that both are checked alike.
func TestConfigKeysAreFlags(t *testing.T) {
	for table, keys := range configTables {
		for _, key := range keys {
			if newPlay().Flags().Lookup(key) == nil {
				t.Errorf("[%s] %s is no flag", table, key)
			}
		}
	}
}
