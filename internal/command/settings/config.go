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
	"github.com/c4hat/c4hat/internal/words"
	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
	"github.com/spf13/pflag"
)

// The tables of the configuration file, and what they are about.
var tables = [][2]string{
	{"game", "matches"}, {"screen", "the picture on the LEDs"}, {"speech", "what c4hat speak says"}, {"machine", "devices and paths"},
}

// keys returns the keys of a table, or nil if there is no such table.
func keys(of string) (names []string) {
	for _, x := range New().table() {
		if x.table == of && of != "" {
			names = append(names, x.name)
		}
	}
	return names
}

// Flags returns a flag for every key of the configuration file.
func Flags() *pflag.FlagSet {
	flags, s := pflag.NewFlagSet("", pflag.ContinueOnError), New()
	for _, t := range tables {
		s.Add(flags, strings.Join(keys(t[0]), " "))
	}
	return flags
}

// Read sets those settings from the configuration file that are not on the command line. For mistakes in the
// file the error is a [cli.UsageError]. If the file cannot be read, the error is not a UsageError, because a
// later attempt may succeed.
func (s *Settings) Read(flags *pflag.FlagSet) error {
	name := cmp.Or(s.Config, DefaultConfig)
	doc, err := readSome(name)
	switch {
	case s.Config == "" && errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("configuration: %w", err)
	}
	mistakes := parse(doc, flags)
	for i := range mistakes {
		mistakes[i] = name + ":" + mistakes[i]
	}
	if mistakes != nil {
		return cli.Usage(mistakes)
	}
	return nil
}

// maxSize bounds a configuration file, in bytes: c4hat config prints 1,545.
const maxSize = 1 << 20

// readSome reads a file that may be longer than memory.
func readSome(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	doc, err := io.ReadAll(io.LimitReader(f, maxSize+1))
	if len(doc) > maxSize {
		err = fmt.Errorf("%s is no configuration file: it has more than a megabyte", name)
	}
	return doc, err
}

// parse sets those flags from a document that the command line has not set, and returns the mistakes in order,
// each after its line: "2: points = 9: …". The whole document is checked, also keys for which the command has no
// flag. What is no TOML is told alone, in go-toml's words.
func parse(doc []byte, flags *pflag.FlagSet) (mistakes cli.Mistakes) {
	if err := toml.Unmarshal(doc, new(map[string]any)); err != nil {
		line, column := 1, 1
		if broken, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, column = broken.Position()
		}
		what := strings.TrimPrefix(err.Error(), "toml: ")
		return cli.Mistakes{fmt.Sprintf("%d: column %d: %.200s; a line is [table], key = \"text\" or key = 90", line, column, what)}
	}
	every, names := Flags(), ""
	for _, t := range tables {
		names += " [" + t[0] + "]"
	}
	var p unstable.Parser
	p.Reset(doc)
	for in := []string{}; p.NextExpression(); { // in is the table's path, or nil if there is no such table
		e, path, line := p.Expression(), []string{}, 0
		for k := e.Key(); k.Next(); {
			path = append(path, string(k.Node().Data))
			line = 1 + bytes.Count(doc[:k.Node().Raw.Offset], []byte("\n"))
		}
		header := e.Kind != unstable.KeyValue
		switch {
		case header:
			in = path
		case in == nil:
			continue
		default:
			path = slices.Concat(in, path)
		}
		dotted, known, wrong := cli.Shorten(words.Clean(strings.Join(path, ".")), 64), keys(path[0]), ""
		switch {
		case e.Kind == unstable.Table && len(path) == 1 && known != nil:
		case header:
			wrong, in = dotted+": a table is one of the lines"+names, nil
		case known == nil || len(path) == 1:
			wrong = dotted + ": write keys below one of the lines" + names
		case len(path) > 2 || !slices.Contains(known, path[1]):
			wrong = fmt.Sprintf("unknown key %s: [%s] has %s", dotted, path[0], strings.Join(known, ", "))
		case e.Value().Kind == unstable.Array || e.Value().Kind == unstable.InlineTable:
			wrong = dotted + `: a value is text in straight quotes ("), or a number`
		default:
			flag := flags.Lookup(path[1])
			if flag == nil || flag.Changed {
				flag = every.Lookup(path[1])
			}
			if err := flag.Value.Set(string(e.Value().Data)); err != nil {
				wrong = fmt.Sprintf("%s = %s: %v", path[1], cli.Shorten(words.Clean(string(p.Raw(e.Value().Raw))), 64), err)
			}
		}
		if wrong != "" {
			mistakes = append(mistakes, fmt.Sprintf("%d: %s", line, wrong))
		}
	}
	return mistakes
}

// Text returns a configuration file with every key, its meaning and its default.
func Text() string {
	var b strings.Builder
	flags := Flags()
	for i, t := range tables {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "[%s] # %s\n", t[0], t[1])
		for _, key := range keys(t[0]) {
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
