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

	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/quote"
	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/spf13/pflag"
)

// DefaultConfig is the configuration file if no other is given. It may be missing.
const DefaultConfig = "/etc/c4hat/config.toml"

// MaxConfigSize is the size of the largest configuration file, in bytes.
const MaxConfigSize = 64 << 10

// Table is a table of the configuration file. Each key has the name of a flag, and the flag's meaning,
// values and default. Its value is text, a number or a bool.
type Table struct {
	Name, About string
	Keys        []string
}

// Tables are all tables.
var Tables = []Table{
	{"game", "matches", []string{"board", "connect", "points", "first", "level", "idle"}},
	{"screen", "the picture on the LEDs", []string{"rotate", "brightness", "palette"}},
	{"speech", "what c4hat speak says", []string{"engine", "rate", "voice", "language", "verbosity"}},
	{"machine", "devices and paths", []string{"display", "fb", "stick", "i2c", "socket"}},
}

// Flags returns a flag for every key.
func Flags() *pflag.FlagSet {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	New().AddDaemon(flags)
	new(Speech).Add(flags)
	AddDisplay(new(string), flags)
	return flags
}

// readConfig sets the flags that are not on the command line from the file at path, or from
// DefaultConfig if path is empty. For mistakes in the file the error is a [cli.UsageError]. If the
// file cannot be read, the error is not a UsageError, because a later attempt may succeed.
func readConfig(path string, flags *pflag.FlagSet) error {
	name := cmp.Or(path, DefaultConfig)
	doc, err := readFile(name)
	switch {
	case path == "" && errors.Is(err, fs.ErrNotExist):
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
	if err != nil {
		return nil, err
	}
	if len(doc) > MaxConfigSize {
		return nil, cli.Usagef("%s is larger than %d KiB", path, MaxConfigSize>>10)
	}
	return bytes.TrimPrefix(doc, []byte("\ufeff")), nil // some editors write a byte order mark
}

type mistake struct {
	line int
	text string
}

// reader sets flags from a document.
type reader struct {
	doc          []byte
	values       map[string]any // by table, then by key
	flags, every *pflag.FlagSet // those of the command, and one for each key
	mistakes     []mistake
}

// parse sets flags from a document, and returns the mistakes in order. It also checks the keys for
// which the command has no flag. What is no TOML is told alone, in go-toml's words.
func parse(doc []byte, flags *pflag.FlagSet) []mistake {
	r := reader{doc: doc, flags: flags, every: Flags()}
	if err := toml.Unmarshal(doc, &r.values); err != nil {
		line, column := 1, 1
		if broken := (*toml.DecodeError)(nil); errors.As(err, &broken) {
			line, column = broken.Position()
		}
		what := strings.TrimPrefix(err.Error(), "toml: ")
		return []mistake{{line, fmt.Sprintf("column %d: %.200s; a line is [table], or key = value with text in quotes", column, what)}}
	}
	var p unstable.Parser
	p.Reset(doc)
	var table []string
	for known := true; p.NextExpression(); {
		switch e := p.Expression(); {
		case e.Kind == unstable.KeyValue && known:
			r.set(table, e)
		case e.Kind == unstable.Table || e.Kind == unstable.ArrayTable:
			var line int
			table, line = r.path(nil, e)
			known = len(table) == 1 && keysOf(table[0]) != nil
			switch {
			case !known:
				r.wrong(line, "unknown table [%s]: %s", dotted(table), allTables())
			case e.Kind == unstable.ArrayTable:
				r.wrong(line, "[[%s]]: a table has one pair of brackets: [%[1]s]", table[0])
				return r.mistakes
			}
		}
	}
	return r.mistakes
}

func (r *reader) wrong(line int, format string, args ...any) {
	r.mistakes = append(r.mistakes, mistake{line, fmt.Sprintf(format, args...)})
}

// path returns the words of a node's key, below those of a table, and its line.
func (r *reader) path(table []string, e *unstable.Node) (path []string, line int) {
	path = slices.Clone(table)
	for k := e.Key(); k.Next(); {
		path = append(path, string(k.Node().Data))
		line = 1 + bytes.Count(r.doc[:k.Node().Raw.Offset], []byte("\n"))
	}
	return path, line
}

// set sets the flag of a key, or those in a table in braces.
func (r *reader) set(table []string, e *unstable.Node) {
	path, line := r.path(table, e)
	name, keys := path[len(path)-1], keysOf(path[0])
	if keys != nil && len(path) == 1 && e.Value().Kind == unstable.InlineTable {
		for key := e.Value().Children(); key.Next(); {
			r.set(path, key.Node())
		}
		return
	}
	switch {
	case keys == nil:
		r.wrong(line, "unknown key %s: it must be in a table; %s", dotted(path), allTables())
		return
	case len(path) == 1:
		r.wrong(line, "%s is a table: write [%[1]s], and its keys below it", path[0])
		return
	case len(path) != 2 || !slices.Contains(keys, name):
		r.wrong(line, "unknown key %s: [%s] has %s", dotted(path), path[0], strings.Join(keys, ", "))
		return
	}
	flag := cmp.Or(r.flags.Lookup(name), r.every.Lookup(name))
	if flag.Changed {
		return
	}
	value := r.values[path[0]].(map[string]any)[name]
	switch value.(type) {
	case map[string]any, []any:
		r.wrong(line, `%s: a value is text in straight quotes ("), or a number`, dotted(path))
		return
	}
	if err := flag.Value.Set(fmt.Sprint(value)); err != nil {
		text := fmt.Sprint(value)
		if s, is := value.(string); is {
			text = quote.Short(s)
		}
		r.wrong(line, "%s = %s: %v", name, text, err)
	}
}

// keysOf returns a table's keys, or nil if there is no such table.
func keysOf(table string) []string {
	for _, t := range Tables {
		if t.Name == table {
			return t.Keys
		}
	}
	return nil
}

func allTables() string {
	text := "the tables are"
	for i, t := range Tables {
		text += []string{" ", ", ", ", ", " and "}[i] + "[" + t.Name + "]"
	}
	return text
}

// dotted returns a key for printing, in quotes if it needs them: a key may have any characters.
func dotted(key []string) string {
	name := strings.Join(key, ".")
	if quoted := quote.Short(name); quoted != `"`+name+`"` || strings.Contains(name, " ") {
		return quoted
	}
	return name
}

// Text returns a configuration file with every key, its meaning and its default. Every line starts
// with margin.
func Text(margin string) string {
	var b strings.Builder
	flags := Flags()
	for i, t := range Tables {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s[%s] # %s\n", margin, t.Name, t.About)
		for _, key := range t.Keys {
			f := flags.Lookup(key)
			name, usage := pflag.UnquoteUsage(f)
			if strings.Contains(f.Usage, "`") { // a placeholder means nothing in a file
				usage = strings.Replace(usage, name, strings.ToLower(name), 1)
			}
			for line := range strings.Lines(cli.Fill(usage, 80-len(margin+"# ")) + "\n") {
				b.WriteString(margin + "# " + line)
			}
			b.WriteString(margin + KeyLine(f) + "\n")
		}
	}
	return b.String()
}

// KeyLine returns the line that sets a key to its default.
func KeyLine(f *pflag.Flag) string {
	if _, err := strconv.Atoi(f.DefValue); err == nil {
		return f.Name + " = " + f.DefValue
	}
	return fmt.Sprintf("%s = %q", f.Name, f.DefValue)
}
