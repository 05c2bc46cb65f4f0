package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/c4hat/c4hat/internal/quote"
)

// readObject reads one JSON object, with nothing after it, and calls field for each of
// its fields. encoding/json alone would take "KEY" for "key", the last of two fields of a
// name, and null for a missing field: a request that may be misunderstood is refused.
func readObject(body []byte, field func(name string, value json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.New("the body is not a JSON object")
	}
	var seen []string
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return badJSON(err)
		}
		name, _ := t.(string) // Token returns an error if it is not a string
		if slices.Contains(seen, name) {
			return fmt.Errorf("%s: given twice", quote.Short(name))
		}
		seen = append(seen, name)
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return badJSON(err)
		}
		if err := field(name, value); err != nil {
			return err
		}
	}
	if _, err := d.Token(); err != nil {
		return badJSON(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("unexpected data after the JSON object")
	}
	return nil
}

func badJSON(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("the body is not valid JSON: %w", err)
}

// readText reads a string.
func readText(value json.RawMessage, text *string) bool {
	return value[0] == '"' && json.Unmarshal(value, text) == nil
}

// readNumber reads a whole number. A null leaves it 0, which no caller accepts.
func readNumber(value json.RawMessage, n *int) bool { return json.Unmarshal(value, n) == nil }
