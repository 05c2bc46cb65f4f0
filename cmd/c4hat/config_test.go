package main

import (
	"testing"

	"github.com/c4hat/c4hat/internal/golden"
	"github.com/c4hat/c4hat/internal/settings"
)

// Every key of the configuration file is also a flag of c4hat play.
func TestConfigKeysAreFlags(t *testing.T) {
	for _, table := range settings.Tables() {
		for _, key := range table.Keys {
			if newPlay().Flags().Lookup(key) == nil {
				t.Errorf("[%s] %s is not a flag", table.Name, key)
			}
		}
	}
}

const installedHead = `# c4hat's settings, for the service and for c4hat play. Each line below is the
# default. Remove the # in front of what you change, then: sudo systemctl reload c4hat
# Help: man c4hat-config

`

// The file that the package installs has every key with its default; -update writes it.
func TestInstalledConfig(t *testing.T) {
	golden.Check(t, "../../internal/deb/config.toml", installedHead+settings.Text(newPlay().Flags(), "", "#"))
}
