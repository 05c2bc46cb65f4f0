package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/internal/golden"
)

// Every key of the configuration file is a flag, so that both are checked alike.
func TestConfigKeysAreFlags(t *testing.T) {
	for _, table := range configTables {
		for _, key := range table.keys {
			if newPlay().Flags().Lookup(key) == nil {
				t.Errorf("[%s] %s is no flag", table.name, key)
			}
		}
	}
}

// installedConfig is the file that the package installs; -update writes it anew.
const installedConfig = "../../internal/deb/config.toml"

const installedHead = `# c4hat's settings: what the service plays, and c4hat play where no flag says
# otherwise. Each line below is the default. Take the # away in front of what you
# change, then: sudo systemctl reload c4hat
# More about it: man c4hat-config

`

func TestInstalledConfig(t *testing.T) {
	golden.Check(t, installedConfig, installedHead+configText(newPlay().Flags(), "", "#"))
}

// The file that the package installs has every key, with the default that it says; with
// all of its lines in force nothing changes.
func TestDefaultConfig(t *testing.T) {
	doc, err := os.ReadFile(installedConfig)
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
	for _, table := range configTables {
		for _, key := range table.keys {
			if !seen[key] {
				t.Errorf("%s is missing", key)
			}
		}
	}
}

// What the page of help shows as a file is one that can be read.
func TestConfigTopicExample(t *testing.T) {
	topic := newConfigTopic(newPlay().Flags())
	_, example, found := strings.Cut(topic.Long, "For instance")
	if !found {
		t.Fatal("no example")
	}
	_, example, _ = strings.Cut(example, "\n\n")
	settings, err := parseConfig([]byte(example))
	if err != nil || len(settings) < 3 {
		t.Fatalf("%v, %v", settings, err)
	}
	for _, s := range settings {
		if err := newPlay().Flags().Set(s.key, s.text); err != nil {
			t.Error(err)
		}
	}
}
