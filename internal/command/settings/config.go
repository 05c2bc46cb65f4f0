package settings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/words"
	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/spf13/pflag"
)

// Table is a table of the configuration file.
type Table struct{ Name, About string }

// Tables are all tables.
var Tables = []Table{{"game", "matches"}, {"screen", "the picture on the LEDs"}, {"speech", "what c4hat speak says"}, {"machine", "devices and paths"}}

// Keys returns the keys of a table, or nil if there is no such table.
func Keys(of string) (names []string) {
	for _, s := range table {
		if s.table == of && of != "" {
			names = append(names, s.name)
		}
	}
	return names
}

// Flags returns a flag for every key.
func Flags() *pflag.FlagSet {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	s := New()
	for _, t := range Tables {
		s.Add(flags, strings.Join(Keys(t.Name), " "))
	}
	return flags
}

// Read sets those settings from the configuration file that are not on the command line. For mistakes in the
// file the error is a [cli.UsageError]. If the file cannot be read, the error is not a UsageError, because a
// later attempt may succeed.
func (s *Settings) Read(flags *pflag.FlagSet) error {
	name := cmp.Or(s.Config, DefaultConfig)
	info, err := os.Stat(name)
	if s.Config == "" && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !info.Mode().IsRegular() && name != os.DevNull { // reading a pipe may wait for ever
		return fmt.Errorf("configuration: %s is not a regular file", name)
	}
	doc, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("configuration: %w", err)
	}
	if mistakes := parse(bytes.TrimPrefix(doc, []byte("\ufeff")), flags); mistakes != nil { // some editors write a byte order mark
		for i := range mistakes {
			mistakes[i] = name + ":" + mistakes[i]
		}
		return cli.Usage(mistakes)
	}
	return nil
}

// parse sets flags from a document, and returns the mistakes in order, each after its line: "2: points = 9: …". It
// also checks the keys for which the command has no flag. What is no TOML is told alone, in go-toml's words.
func parse(doc []byte, flags *pflag.FlagSet) (mistakes cli.Mistakes) {
	if err := toml.Unmarshal(doc, new(map[string]any)); err != nil {
		line, column := 1, 1
		if broken, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, column = broken.Position()
		}
		what := strings.TrimPrefix(err.Error(), "toml: ")
		return cli.Mistakes{fmt.Sprintf("%d: column %d: %.200s; a line is [table], or key = value with text in quotes", line, column, what)}
	}
	var tables []string
	for _, t := range Tables {
		tables = append(tables, "["+t.Name+"]")
	}
	every, line := Flags(), 1
	wrong := func(format string, args ...any) {
		mistakes = append(mistakes, fmt.Sprintf("%d: %s", line, fmt.Sprintf(format, args...)))
	}
	var p unstable.Parser
	// set takes a table, or a key with its value, inside the table with a path. It returns the path.
	var set func(path []string, e *unstable.Node) []string
	set = func(path []string, e *unstable.Node) []string {
		path = slices.Clip(path)
		for k := e.Key(); k.Next(); {
			path = append(path, string(k.Node().Data))
			line = 1 + bytes.Count(doc[:k.Node().Raw.Offset], []byte("\n"))
		}
		dotted, keys := cli.Shorten(words.Clean(strings.Join(path, ".")), 64), Keys(path[0])
		var value *unstable.Node
		if e.Kind == unstable.KeyValue {
			value = e.Value()
		}
		switch {
		case keys == nil || e.Kind == unstable.ArrayTable || len(path) == 1 && value != nil && value.Kind != unstable.InlineTable:
			wrong("%s is no table: the tables are %s", dotted, strings.Join(tables, ", "))
			return nil
		case len(path) == 1 && value == nil:
		case value != nil && value.Kind == unstable.InlineTable:
			for inner := value.Children(); inner.Next(); {
				set(path, inner.Node())
			}
		case len(path) != 2 || !slices.Contains(keys, path[1]):
			wrong("unknown key %s: [%s] has %s", dotted, path[0], strings.Join(keys, ", "))
		case value == nil || value.Kind == unstable.Array:
			wrong(`%s: a value is text in straight quotes ("), or a number`, dotted)
		default:
			flag := cmp.Or(flags.Lookup(path[1]), every.Lookup(path[1]))
			if flag.Changed {
				break
			}
			if err := flag.Value.Set(string(value.Data)); err != nil {
				wrong("%s = %s: %v", path[1], cli.Shorten(words.Clean(string(p.Raw(value.Raw))), 64), err)
			}
		}
		return path
	}
	p.Reset(doc)
	for table := []string{}; p.NextExpression(); {
		switch e := p.Expression(); {
		case e.Kind != unstable.KeyValue:
			table = set(nil, e)
		case table != nil: // else the table is unknown
			set(table, e)
		}
	}
	return mistakes
}

// Text returns a configuration file with every key, its meaning and its default.
func Text() string {
	var b strings.Builder
	flags := Flags()
	for i, t := range Tables {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "[%s] # %s\n", t.Name, t.About)
		for _, key := range Keys(t.Name) {
			f := flags.Lookup(key)
			name, usage := pflag.UnquoteUsage(f)
			if strings.Contains(f.Usage, "`") { // a placeholder means nothing in a file
				usage = strings.Replace(usage, name, strings.ToLower(name), 1)
			}
			b.WriteString("# " + strings.ReplaceAll(cli.Fill(usage, 78), "\n", "\n# ") + "\n")
			if _, err := strconv.Atoi(f.DefValue); err == nil {
				fmt.Fprintf(&b, "%s = %s\n", key, f.DefValue)
			} else {
				fmt.Fprintf(&b, "%s = %q\n", key, f.DefValue)
			}
		}
	}
	return b.String()
}
