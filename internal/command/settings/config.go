package settings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/internal/command/cli"
	"github.com/c4hat/c4hat/internal/command/quote"
	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/spf13/pflag"
)

// MaxConfigSize is the size of the largest configuration file, in bytes.
const MaxConfigSize = 64 << 10

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
	doc, err := readFile(name)
	switch {
	case s.Config == "" && errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("configuration: %w", err)
	}
	var mistakes cli.Mistakes
	for _, m := range parse(doc, flags) {
		mistakes = append(mistakes, fmt.Sprintf("%s:%d: %s", name, m.line, m.text))
	}
	if mistakes != nil {
		return cli.Usage(mistakes)
	}
	return nil
}

// readFile does not open a named pipe or a terminal: reading one may wait for ever, and no signal
// would end it.
func readFile(path string) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() && path != os.DevNull {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	doc, err := io.ReadAll(io.LimitReader(f, MaxConfigSize+1))
	if err == nil && len(doc) > MaxConfigSize {
		err = cli.Usagef("%s is larger than %d KiB", path, MaxConfigSize>>10)
	}
	return bytes.TrimPrefix(doc, []byte("\ufeff")), err // some editors write a byte order mark
}

type mistake struct {
	line int
	text string
}

// parse sets flags from a document, and returns the mistakes in order. It also checks the keys for
// which the command has no flag. What is no TOML is told alone, in go-toml's words.
func parse(doc []byte, flags *pflag.FlagSet) (mistakes []mistake) {
	if err := toml.Unmarshal(doc, new(map[string]any)); err != nil {
		line, column := 1, 1
		if broken := (*toml.DecodeError)(nil); errors.As(err, &broken) {
			line, column = broken.Position()
		}
		what := strings.TrimPrefix(err.Error(), "toml: ")
		return []mistake{{line, fmt.Sprintf("column %d: %.200s; a line is [table], or key = value with text in quotes", column, what)}}
	}
	var tables []string
	for _, t := range Tables {
		tables = append(tables, "["+t.Name+"]")
	}
	known := "the tables are " + strings.Join(tables, ", ")
	line := 1
	// name returns the dotted name of a node, and notes its line.
	name := func(path []string, e *unstable.Node) []string {
		for k := e.Key(); k.Next(); {
			path = append(path, string(k.Node().Data))
			line = 1 + bytes.Count(doc[:k.Node().Raw.Offset], []byte("\n"))
		}
		return path
	}
	wrong := func(format string, args ...any) {
		mistakes = append(mistakes, mistake{line, fmt.Sprintf(format, args...)})
	}
	every := Flags()
	var set func(path []string, e *unstable.Node)
	set = func(path []string, e *unstable.Node) {
		path = name(slices.Clip(path), e)
		dotted, value := cli.Shorten(quote.Clean(strings.Join(path, ".")), 64), e.Value()
		keys := Keys(path[0])
		switch {
		case keys == nil || len(path) == 1 && value.Kind != unstable.InlineTable:
			wrong("%s is in no table: %s", dotted, known)
		case value.Kind == unstable.InlineTable:
			for inner := value.Children(); inner.Next(); {
				set(path, inner.Node())
			}
		case len(path) > 2 || !slices.Contains(keys, path[1]):
			wrong("unknown key %s: [%s] has %s", dotted, path[0], strings.Join(keys, ", "))
		case value.Kind == unstable.Array:
			wrong(`%s: a value is text in straight quotes ("), or a number`, dotted)
		default:
			flag := cmp.Or(flags.Lookup(path[1]), every.Lookup(path[1]))
			if flag.Changed {
				return
			}
			text := string(value.Data)
			err := flag.Value.Set(text)
			if value.Kind == unstable.String {
				text = quote.Short(text)
			}
			if err != nil {
				wrong("%s = %s: %v", path[1], text, err)
			}
		}
	}
	var p unstable.Parser
	p.Reset(doc)
	for table, skip := []string(nil), false; p.NextExpression(); {
		switch e := p.Expression(); {
		case e.Kind != unstable.KeyValue:
			table = name(nil, e)
			text := strings.Join(table, ".")
			if e.Kind == unstable.ArrayTable {
				text = "[" + text + "]"
			}
			if skip = Keys(text) == nil; skip {
				wrong("unknown table [%s]: %s", cli.Shorten(quote.Clean(text), 64), known)
			}
		case !skip:
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
