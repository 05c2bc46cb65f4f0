package settings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
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

// file is the configuration file. Each key has the name of a flag, and the flag's meaning, values
// and default. Its value is text, a number or a bool.
type file struct {
	Game   struct{ Board, Connect, Points, First, Level, Idle any } `about:"the match"`
	Screen struct{ Rotate, Brightness, Palette any }                `about:"the picture on the LEDs"`
	Speech struct {
		Engine, Rate, Voice, Language, Verbosity any
	} `about:"what c4hat speak says"`
	Machine struct{ Display, FB, Stick, I2C, Socket any } `about:"devices and paths"`
}

// Flags returns a flag for every key.
func Flags() *pflag.FlagSet {
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	New().AddDaemon(flags)
	new(Speech).Add(flags)
	AddDisplay(new(string), flags)
	return flags
}

// Table is a table of the configuration file.
type Table struct {
	Name, About string
	Keys        []string
}

func Tables() (tables []Table) {
	for _, t := range reflect.VisibleFields(reflect.TypeFor[file]()) {
		table := Table{Name: strings.ToLower(t.Name), About: t.Tag.Get("about")}
		for _, key := range reflect.VisibleFields(t.Type) {
			table.Keys = append(table.Keys, strings.ToLower(key.Name))
		}
		tables = append(tables, table)
	}
	return tables
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

const wantScalar = `a value is text in straight quotes ("), or a number`

// parse sets flags from a document, and returns the mistakes in order. It also checks the keys for
// which the command has no flag.
func parse(doc []byte, flags *pflag.FlagSet) (mistakes []mistake) {
	var f file
	err := toml.NewDecoder(bytes.NewReader(doc)).DisallowUnknownFields().Decode(&f)
	var broken *toml.DecodeError
	var unknown *toml.StrictMissingError
	switch {
	case errors.As(err, &unknown):
		for i := range unknown.Errors {
			at := &unknown.Errors[i]
			line, _ := at.Position()
			mistakes = append(mistakes, mistake{line, unknownKey(at)})
		}
	case errors.As(err, &broken):
		line, column := broken.Position()
		what := strings.TrimPrefix(err.Error(), "toml: ")
		if strings.HasPrefix(what, "cannot ") {
			what = dotted(broken.Key()) + " is a table" // without the names of Go's types
		}
		return []mistake{{line, fmt.Sprintf("column %d: %.200s; a line is [table], or key = value with text in quotes", column, what)}}
	case err != nil:
		return []mistake{{1, err.Error()}}
	}
	every := Flags()
	for i, t := range Tables() {
		for j, name := range t.Keys {
			flag := cmp.Or(flags.Lookup(name), every.Lookup(name))
			value := reflect.ValueOf(f).Field(i).Field(j).Interface()
			if flag.Changed || value == nil {
				continue
			}
			var wrong string
			switch value.(type) {
			case string, int64, float64, bool:
				text := fmt.Sprint(value)
				if err := flag.Value.Set(text); err != nil && flag.Value.Set(strings.ToLower(text)) != nil {
					wrong = fmt.Sprintf("%s = %#v: %v", name, value, err) // text in quotes, a number without
				}
			default:
				wrong = fmt.Sprintf("%s.%s: %s", t.Name, name, wantScalar)
			}
			if wrong != "" {
				mistakes = append(mistakes, mistake{lineOf(doc, t.Name+"."+name), wrong})
			}
		}
	}
	slices.SortStableFunc(mistakes, func(a, b mistake) int { return a.line - b.line })
	return mistakes
}

// lineOf returns the line that sets a key, such as game.points: its own, the line of a table in
// braces that contains it, or the header of a table that stands in its place.
func lineOf(doc []byte, key string) int {
	var p unstable.Parser
	p.Reset(doc)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind == unstable.Comment {
			continue
		}
		parts, at := "", uint32(0)
		for k := e.Key(); k.Next(); {
			parts += strings.ToLower(string(k.Node().Data)) + "."
			at = k.Node().Raw.Offset
		}
		path := parts
		if e.Kind == unstable.KeyValue {
			path = table + parts
		} else {
			table = parts
		}
		if strings.HasPrefix(path, key+".") || e.Kind == unstable.KeyValue && strings.HasPrefix(key, path) {
			return 1 + bytes.Count(doc[:at], []byte("\n"))
		}
	}
	return 1
}

func unknownKey(err *toml.DecodeError) string {
	key, tables := err.Key(), Tables()
	if strings.HasSuffix(err.Error(), "missing table") {
		return fmt.Sprintf("unknown table [%s]: the tables are [game], [screen], [speech] and [machine]", dotted(key))
	}
	text := "unknown key " + dotted(key) + ": "
	for _, t := range tables {
		if last := strings.ToLower(key[len(key)-1]); slices.Contains(t.Keys, last) {
			return text + fmt.Sprintf("%s belongs in [%s]", last, t.Name)
		}
	}
	for _, t := range tables {
		if strings.EqualFold(t.Name, key[0]) {
			return text + fmt.Sprintf("[%s] has %s", t.Name, strings.Join(t.Keys, ", "))
		}
	}
	return text + "c4hat help config lists all keys"
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
	for i, t := range Tables() {
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
