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
	"strings"

	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/quote"
	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/pflag"
)

// DefaultConfig is the configuration file if no other is given. It may be missing.
const DefaultConfig = "/etc/c4hat/config.toml"

// maxMistakes is how many lines that are not valid TOML are reported.
const maxMistakes = 10

// MaxConfigSize is the size of the largest configuration file, in bytes.
const MaxConfigSize = 64 << 10

// Table is a table of the configuration file. Each key is named after a flag, and has the flag's
// meaning, values and default.
type Table struct {
	Name, About string
	Keys        []string
}

func Tables() []Table {
	return []Table{
		{"game", "the match", []string{"board", "connect", "points", "first", "idle"}},
		{"screen", "the picture on the LEDs", []string{"rotate", "brightness", "palette"}},
		{"machine", "devices and paths", []string{"display", "fb", "stick", "i2c", "socket"}},
	}
}

// readConfig sets the flags that are not on the command line from the file at path, or from
// DefaultConfig if path is empty. For a mistake in the file the error is a [cli.UsageError]. If the
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
	var text []string
	for _, m := range parse(doc, flags) {
		text = append(text, fmt.Sprintf("%s:%d: %s", name, m.line, m.text))
	}
	if text != nil {
		return cli.Usagef("%s", strings.Join(text, "; "))
	}
	return nil
}

func readFile(path string) ([]byte, error) {
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

// parse sets flags from a document, and returns the document's mistakes in order. It also checks
// the keys for which the command has no flag.
func parse(doc []byte, flags *pflag.FlagSet) []mistake {
	mistakes, values, err := decodeAll(&doc)
	every := pflag.NewFlagSet("", pflag.ContinueOnError)
	New().AddDaemon(every)
	every.Var(Display(), "display", "")
	wrong := map[string]string{} // messages by table and key
	for key, value := range values {
		_, name, _ := strings.Cut(key, ".")
		flag := cmp.Or(flags.Lookup(name), every.Lookup(name))
		if flag.Changed || value == nil {
			continue
		}
		switch value.(type) {
		case string, int64, float64, bool:
			text := fmt.Sprint(value)
			if err := flag.Value.Set(text); err != nil {
				wrong[key] = fmt.Sprintf("%s = %q: %v", name, text, err)
			}
		default:
			wrong[key] = key + ": " + wantScalar
		}
	}
	if len(wrong) > 0 {
		_, err = decode(doc, wrong) // if the wrong keys count as unknown, decode returns their line numbers
	}
	var unknown *toml.StrictMissingError
	switch {
	case errors.As(err, &unknown):
		for i := range unknown.Errors {
			at := &unknown.Errors[i]
			line, _ := at.Position()
			text, ok := wrong[strings.ToLower(strings.Join(at.Key(), "."))]
			if !ok {
				text = unknownKey(at)
			}
			mistakes = append(mistakes, mistake{line, text})
		}
	case err != nil:
		mistakes = append(mistakes, mistake{1, err.Error()})
	}
	slices.SortStableFunc(mistakes, func(a, b mistake) int { return a.line - b.line })
	return slices.CompactFunc(mistakes, func(a, b mistake) bool { return a.line == b.line })
}

// decodeAll is like [decode], but also decodes a document with wrong lines. The decoder stops at
// the first wrong line, so decodeAll replaces that line and decodes the document again.
func decodeAll(doc *[]byte) (mistakes []mistake, values map[string]any, err error) {
	lines := bytes.Split(*doc, []byte("\n"))
	for {
		*doc = bytes.Join(lines, []byte("\n"))
		values, err = decode(*doc, nil)
		var at *toml.DecodeError
		if errors.As(err, new(*toml.StrictMissingError)) || !errors.As(err, &at) {
			return mistakes, values, err
		}
		line, _ := at.Position()
		mistakes = append(mistakes, mistake{line, reason(at)})
		replaced := &lines[min(line, len(lines))-1]
		switch {
		case len(*replaced) == 0 || len(mistakes) == maxMistakes:
			return mistakes, nil, nil
		case bytes.HasPrefix(bytes.TrimSpace(*replaced), []byte("[")):
			*replaced = fmt.Appendf(nil, "[line-%d]", line) // so that the keys below are not read as keys of the table above
		default:
			*replaced = nil
		}
	}
}

// decode returns the values of a document by table and key. The value of a missing key is nil. A
// key in leaveOut is treated as unknown, which is an error.
func decode(doc []byte, leaveOut map[string]string) (map[string]any, error) {
	var tables []reflect.StructField
	for _, t := range Tables() {
		var keys []reflect.StructField
		for _, key := range t.Keys {
			if _, out := leaveOut[t.Name+"."+key]; !out {
				keys = append(keys, field(key, reflect.TypeFor[any]()))
			}
		}
		tables = append(tables, field(t.Name, reflect.StructOf(keys)))
	}
	file := reflect.New(reflect.StructOf(tables))
	err := toml.NewDecoder(bytes.NewReader(doc)).DisallowUnknownFields().Decode(file.Interface())
	values := map[string]any{}
	for i, t := range tables {
		for j := range t.Type.NumField() {
			key := t.Tag.Get("toml") + "." + t.Type.Field(j).Tag.Get("toml")
			values[key] = file.Elem().Field(i).Field(j).Interface()
		}
	}
	return values, err
}

func field(key string, t reflect.Type) reflect.StructField {
	return reflect.StructField{Name: strings.ToUpper(key), Type: t, Tag: reflect.StructTag(fmt.Sprintf("toml:%q", key))}
}

func unknownKey(err *toml.DecodeError) string {
	name := dotted(err.Key())
	if strings.HasSuffix(err.Error(), "missing table") {
		return fmt.Sprintf("unknown table [%s], want [game], [screen] or [machine]", name)
	}
	wrong := strings.ToLower(err.Key()[len(err.Key())-1])
	var best, table string // the most similar key
	var keys []string      // of the table that the unknown key is in
	for _, t := range Tables() {
		if len(err.Key()) > 1 && strings.EqualFold(t.Name, err.Key()[0]) {
			keys = t.Keys
		}
		for _, key := range t.Keys {
			if d := distance(wrong, key); d <= len(key)/3 && (best == "" || d < distance(wrong, best)) {
				best, table = key, t.Name
			}
		}
	}
	switch {
	case best == wrong:
		return fmt.Sprintf("unknown key %s: %s belongs in [%s]", name, best, table)
	case best != "":
		return fmt.Sprintf("unknown key %s: did you mean %s.%s?", name, table, best)
	case keys != nil:
		return fmt.Sprintf("unknown key %s, want %s", name, orList(keys))
	}
	return fmt.Sprintf("unknown key %s: c4hat help config lists all keys", name)
}

// distance returns the Levenshtein distance: how many letters to insert, delete or replace to turn
// one word into the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0]++
		for j := range len(b) {
			replace := diagonal
			if a[i] != b[j] {
				replace++
			}
			diagonal = row[j+1]
			row[j+1] = min(replace, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}

const wantScalar = "want text in quotes or a number"

// reason says what is wrong with a line, without naming Go types.
func reason(err *toml.DecodeError) string {
	text := strings.TrimPrefix(err.Error(), "toml: ")
	if strings.HasSuffix(text, "at start of value") {
		return wantScalar
	}
	if strings.HasPrefix(text, "cannot decode") || strings.HasPrefix(text, "cannot store") {
		if key := err.Key(); len(key) == 1 {
			return fmt.Sprintf("%s is a table: write [%[1]s] above its keys", dotted(key))
		}
		return dotted(err.Key()) + ": " + wantScalar
	}
	return fmt.Sprintf("%.200s", text) // it may quote a very long number
}

// dotted returns a key for printing, quoted and shortened if necessary: a key in quotes may have
// any characters.
func dotted(key []string) string {
	const bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
	name := strings.Join(key, ".")
	if strings.Trim(name, bare) == "" && len(name) <= 64 {
		return name
	}
	return quote.Short(name)
}
