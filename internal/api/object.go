package api

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/c4hat/c4hat/internal/quote"
)

// fields has a function for each field that a request may have. The function reads the field's
// value, or returns an error that says what the value must be.
type fields map[string]func(json.RawMessage) error

// read reads one JSON object, with nothing after it, and returns the names of its fields.
// encoding/json alone would accept "KEY" as "key", use the last of two fields with the same name,
// and treat null as a missing field. read refuses such requests, because they may be
// misunderstood.
func (f fields) read(body []byte) (names []string, err error) {
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.New("the body is not a JSON object")
	}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return nil, badJSON(err)
		}
		name, _ := t.(string) // if it is not a string, Token has returned an error
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, badJSON(err)
		}
		read, ok := f[name]
		switch {
		case !ok:
			return nil, fmt.Errorf("%s: unknown field; use %s", quote.Short(name), strings.Join(slices.Sorted(maps.Keys(f)), ", "))
		case slices.Contains(names, name):
			return nil, fmt.Errorf("%s: given twice", quote.Short(name))
		}
		names = append(names, name)
		if err := read(value); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, badJSON(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("unexpected data after the JSON object")
	}
	return names, nil
}

func badJSON(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("the body is not valid JSON: %w", err)
}

// scalar reads a string, a number or a boolean, and refuses null.
func scalar[T string | int | bool](value json.RawMessage, to *T) bool {
	return value[0] != 'n' && json.Unmarshal(value, to) == nil
}

// field returns a function that reads a value that ok accepts. want says, in the error, what the
// value must be.
func field[T string | int | bool](to *T, want string, ok func(T) bool) func(json.RawMessage) error {
	return func(value json.RawMessage) error {
		if !scalar(value, to) || !ok(*to) {
			return errors.New("must be " + want)
		}
		return nil
	}
}

func text(to *string, want string) func(json.RawMessage) error {
	return field(to, want, func(s string) bool { return s != "" })
}

// moves returns a function that reads the moves of a game. There may be none.
func moves(to *string) func(json.RawMessage) error {
	return field(to, `the moves so far, as in "4453"`, func(string) bool { return true })
}

func number(to *int, least, most int) func(json.RawMessage) error {
	return field(to, fmt.Sprintf("a number from %d to %d", least, most), func(n int) bool { return n >= least && n <= most })
}

func boolean(to *bool) func(json.RawMessage) error {
	return field(to, "true or false", func(bool) bool { return true })
}

// MaxToken is the maximum length of a token in bytes.
const MaxToken = 64

func token(to *string) func(json.RawMessage) error {
	return field(to, "the token of a seat", func(s string) bool { return s != "" && len(s) <= MaxToken })
}
