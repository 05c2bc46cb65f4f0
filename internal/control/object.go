package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// readObject reads one JSON object and nothing after it, and hands over its
// fields. encoding/json alone would take "KEY" for "key", the last of two fields
// of a name, and null for a field that is not there: a request that is not
// understood as it was meant must not be done.
func readObject(body []byte, field func(name string, value json.RawMessage) error) error {
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return errors.New("the body is no JSON object")
	}
	var seen []string
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return badJSON(err)
		}
		name, _ := t.(string) // a name is a string, or Token says so
		if slices.Contains(seen, name) {
			return fmt.Errorf("%s: given twice", short(name))
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
		return errors.New("there is more after the JSON object")
	}
	return nil
}

func badJSON(err error) error {
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("the body is no JSON: %w", err)
}

// readText reads a string.
func readText(value json.RawMessage, text *string) bool {
	return value[0] == '"' && json.Unmarshal(value, text) == nil
}

// readNumber reads a whole number. A null leaves it zero, which is never wanted.
func readNumber(value json.RawMessage, n *int) bool { return json.Unmarshal(value, n) == nil }

// short quotes what somebody sent, so that it fits on a line.
func short(s string) string {
	const most = 64
	if len(s) > most {
		return fmt.Sprintf("%q and so on", s[:most])
	}
	return fmt.Sprintf("%q", s)
}
