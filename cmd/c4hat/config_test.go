package main

import (
	"os"
	"regexp"
	"testing"
)

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
	settings, err := parseConfig(regexp.MustCompile(`(?m)^#([a-z0-9]+ = )`).ReplaceAll(doc, []byte("$1")))
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
