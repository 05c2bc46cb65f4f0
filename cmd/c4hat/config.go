package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/c4hat/c4hat/internal/cli"
	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/spf13/pflag"
)

// usualConfig is read where no other file is named; it need not be there.
const usualConfig = "/etc/c4hat/config.toml"

// mostConfig is the largest configuration file that is read, in bytes.
const mostConfig = 64 << 10

// configTable is a table of the configuration file. A key is the name of the flag that
// sets the same: what it does, which values it takes and its default are the flag's.
type configTable struct {
	name, about string
	keys        []string
}

var configTables = []configTable{
	{"game", "what is played", []string{"board", "connect", "points", "first", "idle"}},
	{"screen", "how it looks on the HAT", []string{"rotate", "brightness", "palette"}},
	{"machine", "where things are", []string{"display", "fb", "stick", "i2c", "socket"}},
}

// configKeys are the keys of a table, nil where there is no such table.
func configKeys(table string) []string {
	for _, t := range configTables {
		if t.name == table {
			return t.keys
		}
	}
	return nil
}

// readConfig sets the flags that the command line left alone from a file, the
// usual one where path is empty. Only what was read and is wrong is a usage error: a
// file that cannot be read now may be readable later.
func readConfig(path string, flags *pflag.FlagSet) error {
	usual := path == ""
	if usual {
		path = usualConfig
	}
	doc, err := readFile(path)
	switch {
	case usual && errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("configuration: %w", err)
	}
	settings, err := parseConfig(doc)
	if err != nil {
		return cli.Usagef("%s:%w", path, err)
	}
	for _, s := range settings {
		flag := flags.Lookup(s.key)
		if flag == nil || flag.Changed {
			continue
		}
		if err := flag.Value.Set(s.text); err != nil {
			return cli.Usagef("%s:%d: %s = %q: %w", path, s.line, s.key, s.text, err)
		}
	}
	return nil
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	doc, err := io.ReadAll(io.LimitReader(f, mostConfig+1))
	if err != nil {
		return nil, err
	}
	if len(doc) > mostConfig {
		return nil, cli.Usagef("%s is larger than %d KiB", path, mostConfig>>10)
	}
	return bytes.TrimPrefix(doc, []byte("\ufeff")), nil // as some editors begin a file
}

// setting is a line of the configuration file.
type setting struct {
	line      int
	key, text string
}

// parseConfig gives the settings of a file in their order. The error begins with
// the number of the line that is wrong.
func parseConfig(doc []byte) ([]setting, error) {
	// The whole document first: syntax, and keys that stand twice.
	var all map[string]any
	if err := toml.Unmarshal(doc, &all); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, _ := at.Position()
			return nil, fmt.Errorf("%d: %.200s", line, strings.TrimPrefix(at.Error(), "toml: ")) // it may repeat a number of any length
		}
		return nil, fmt.Errorf("1: %w", err)
	}
	// Then key by key, since only the syntax tree knows the lines of values that
	// turn out to be wrong later.
	var settings []setting
	var p unstable.Parser
	p.Reset(doc)
	var table []string
	for p.NextExpression() {
		e := p.Expression()
		names, line := path(&p, e)
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			if e.Kind == unstable.ArrayTable { // there would be several of it
				return nil, fmt.Errorf("%d: [[%s]] is a list of tables: write [game], [screen] or [machine]", line, dotted(names))
			}
			if len(names) != 1 || configKeys(names[0]) == nil {
				return nil, fmt.Errorf("%d: unknown table [%s], want [game], [screen] or [machine]", line, dotted(names))
			}
			table = names
		case unstable.KeyValue:
			found, err := keyValue(&p, e, table)
			if err != nil {
				return nil, err
			}
			settings = append(settings, found...)
		}
	}
	return settings, p.Error()
}

// keyValue gives the setting that a key with its value is, or those of a table
// written in a line.
func keyValue(p *unstable.Parser, e *unstable.Node, table []string) (settings []setting, err error) {
	names, line := path(p, e)
	names = append(slices.Clone(table), names...)
	value := e.Value()
	if value.Kind == unstable.InlineTable && len(names) == 1 && configKeys(names[0]) != nil {
		for children := value.Children(); children.Next(); {
			found, err := keyValue(p, children.Node(), names)
			if err != nil {
				return nil, err
			}
			settings = append(settings, found...)
		}
		return settings, nil
	}
	if len(names) != 2 || !slices.Contains(configKeys(names[0]), names[1]) {
		return nil, fmt.Errorf("%d: unknown key %s, want %s", line, dotted(names), known())
	}
	switch value.Kind {
	case unstable.String, unstable.Integer:
		return []setting{{line, names[1], string(value.Data)}}, nil
	}
	return nil, fmt.Errorf("%d: %s: want a text in quotes or a number", line, names[1])
}

// dotted is a key as it can be printed: in quotes it may have been anything.
func dotted(names []string) string {
	const bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
	key := strings.Join(names, ".")
	if strings.Trim(key, bare) == "" && len(key) <= 64 {
		return key
	}
	return shorten(key)
}

// path is the dotted key of an expression, and its line.
func path(p *unstable.Parser, e *unstable.Node) (names []string, line int) {
	for keys := e.Key(); keys.Next(); {
		node := keys.Node()
		if names == nil {
			line = p.Shape(node.Raw).Start.Line
		}
		names = append(names, string(node.Data))
	}
	return names, line
}

// known lists the keys there are.
func known() string {
	var keys []string
	for _, t := range configTables {
		for _, key := range t.keys {
			keys = append(keys, t.name+"."+key)
		}
	}
	return orList(keys)
}
