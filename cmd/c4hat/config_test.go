package main

import (
	"testing"

	"github.com/c4hat/c4hat/internal/settings"
)

// Every key of the configuration file is also a flag of c4hat daemon, play or speak.
func TestConfigKeysAreFlags(t *testing.T) {
	for _, table := range settings.Tables {
		for _, key := range settings.Keys(table.Name) {
			if newDaemon().Flags().Lookup(key) == nil && newPlay().Flags().Lookup(key) == nil && newSpeak().Flags().Lookup(key) == nil {
				t.Errorf("[%s] %s is not a flag", table.Name, key)
			}
		}
	}
}
