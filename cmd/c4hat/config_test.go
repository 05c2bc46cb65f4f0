package main

import (
	"os"
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

// The file that the package installs has every key, with the default that it says; with
// all of its lines in force nothing changes.
func TestDefaultConfig(t *testing.T) {
	doc, err := os.ReadFile("../../internal/deb/config.toml")
	if err != nil {
		t.Fatal(err)
	}
	if settings, err := parseConfig(doc); err != nil || len(settings) > 0 {
		t.Fatalf("as installed: %v, %v", settings, err)
	}
	settings, err := parseConfig(regexp.MustCompile(`(?m)^#([a-z]+ = )`).ReplaceAll(doc, []byte("$1")))
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[string]bool)
	for _, s := range settings {
		seen[s.key] = true
		flag := newPlay().Flags().Lookup(s.key)
		before := flag.Value.String()
		if err := flag.Value.Set(s.text); err != nil || flag.Value.String() != before {
			t.Errorf("line %d: %s is %q, the default %q, %v", s.line, s.key, s.text, before, err)
		}
	}
	for _, keys := range configTables {
		for _, key := range keys {
			if !seen[key] {
				t.Errorf("%s is missing", key)
			}
		}
	}
}
