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
	"strings"

	"github.com/c4hat/c4hat/internal/cli"
	"github.com/c4hat/c4hat/internal/quote"
	"github.com/pelletier/go-toml/v2"
	"github.com/spf13/pflag"
)

// DefaultConfig is the configuration file if no other is given. It may be missing.
const DefaultConfig = "/etc/c4hat/config.toml"

// MaxConfigSize is the size of the largest configuration file, in bytes.
const MaxConfigSize = 64 << 10

// Table is a table of the configuration file. Each key has the name, the meaning, the values
// and the default of a flag.
type Table struct {
	Name, About string
	Keys        []string
}

// Tables returns the tables of the file, in order.
func Tables() []Table {
	return []Table{
		{"game", "what is played", []string{"board", "connect", "points", "first", "idle"}},
		{"screen", "the picture on the HAT", []string{"rotate", "brightness", "palette"}},
		{"machine", "devices and paths", []string{"display", "fb", "stick", "i2c", "socket"}},
	}
}

// readConfig sets flags that are not on the command line from a file, DefaultConfig if path
// is empty. A mistake in the file is a [cli.UsageError]; a failed read is not, as it may
// succeed later.
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

// mistake is something wrong in a configuration file.
type mistake struct {
	line int
	text string
}

// parse sets flags from a document, and returns what is wrong with it.
func parse(doc []byte, flags *pflag.FlagSet) (mistakes []mistake) {
	values, err := decode(doc, nil)
	wrong := map[string]string{} // by table and key
	for key, value := range values {
		_, name, _ := strings.Cut(key, ".")
		flag := flags.Lookup(name)
		if flag == nil || flag.Changed || value == nil {
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
		_, err = decode(doc, wrong) // as unknown keys they get line numbers
	}
	var unknown *toml.StrictMissingError
	var at *toml.DecodeError
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
	case errors.As(err, &at):
		line, _ := at.Position()
		mistakes = append(mistakes, mistake{line, reason(at)})
	case err != nil:
		mistakes = append(mistakes, mistake{1, err.Error()})
	}
	return mistakes
}

// decode returns the values of a document by table and key, nil if a key is missing. Keys
// in leaveOut count as unknown, which is an error.
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
			key := tables[i].Tag.Get("toml") + "." + t.Type.Field(j).Tag.Get("toml")
			values[key] = file.Elem().Field(i).Field(j).Interface()
		}
	}
	return values, err
}

func field(key string, t reflect.Type) reflect.StructField {
	return reflect.StructField{Name: strings.ToUpper(key), Type: t, Tag: reflect.StructTag(fmt.Sprintf("toml:%q", key))}
}

func unknownKey(err *toml.DecodeError) string {
	if strings.HasSuffix(err.Error(), "missing table") {
		return fmt.Sprintf("unknown table [%s], want [game], [screen] or [machine]", dotted(err.Key()))
	}
	var known []string
	for _, t := range Tables() {
		for _, key := range t.Keys {
			known = append(known, t.Name+"."+key)
		}
	}
	return fmt.Sprintf("unknown key %s, want %s", dotted(err.Key()), orList(known))
}

const wantScalar = "want a text in quotes or a number"

// reason returns what is wrong with a line, without the names of Go's types.
func reason(err *toml.DecodeError) string {
	text := strings.TrimPrefix(err.Error(), "toml: ")
	if strings.HasPrefix(text, "cannot decode") || strings.HasPrefix(text, "cannot store") {
		if key := err.Key(); len(key) == 1 {
			return fmt.Sprintf("%s is a table: write [%[1]s] above its keys", dotted(key))
		}
		return dotted(err.Key()) + ": " + wantScalar
	}
	return fmt.Sprintf("%.200s", text) // it may repeat a number of any length
}

// dotted returns a key that can be printed: a quoted key may have any characters.
func dotted(key []string) string {
	const bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
	name := strings.Join(key, ".")
	if strings.Trim(name, bare) == "" && len(name) <= 64 {
		return name
	}
	return quote.Short(name)
}
