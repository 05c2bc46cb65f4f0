package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/c4hat/c4hat/internal/game"
)

// version is the version of the files' format. A file of another version is treated as damaged,
// because its meaning is unknown.
const version = 1

// maxSize is the largest size of match.json or of a line of the history, in bytes. Even a match of
// many rounds needs only about a thousand.
const maxSize = 1 << 20

type matchFile struct {
	Version int `json:"version"`
	game.Document
}

type historyLine struct {
	Version int `json:"version"`
	entryDocument
}

// encodeMatch returns the content of a match's file.
func encodeMatch(m game.Record) ([]byte, error) {
	d, err := m.Document()
	if err != nil {
		return nil, err
	}
	return encode(matchFile{version, d})
}

// decodeMatch reads what encodeMatch returns. The error is a [Damage].
func decodeMatch(data []byte) (m game.Record, err error) {
	var f matchFile
	if err = decodeFile(data, &f, &f.Version); err == nil {
		m, err = f.Record()
	}
	return m, damage(err)
}

// encodeEntry returns a line of the history with its newline.
func encodeEntry(e Entry) ([]byte, error) {
	d, err := e.document()
	if err != nil {
		return nil, err
	}
	return encode(historyLine{version, d})
}

// decodeEntry reads what encodeEntry returns. The error is a [Damage].
func decodeEntry(line []byte) (e Entry, err error) {
	var l historyLine
	if err = decodeFile(line, &l, &l.Version); err == nil {
		e, err = l.entry()
	}
	return e, damage(err)
}

// Damage is an error in the content of a file. It recurs whenever the file is read.
type Damage struct{ error }

func (d Damage) Unwrap() error { return d.error }

// damage returns an error as a [Damage], shortened to fit into a log: a wrong word in a file may be
// a megabyte long.
func damage(err error) error {
	const most = 300
	if err == nil {
		return nil
	}
	if text := err.Error(); len(text) > most {
		err = errors.New(strings.ToValidUTF8(text[:most], "") + " and so on")
	}
	return Damage{err}
}

// decodeFile is like [decode] for the content of a file. It also checks the file's version, which
// decoding v stores in *of.
func decodeFile(data []byte, v any, of *int) error {
	if len(data) > maxSize {
		return fmt.Errorf("store: not a match: more than %d bytes", maxSize)
	}
	err := decode(data, v)
	if err == nil && *of != version {
		err = fmt.Errorf("store: version: %d, want %d: was it written by another c4hat?", *of, version)
	}
	return err
}

// encode returns one line of JSON, or an error if the line is too long to be read again.
func encode(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if len(data) >= maxSize {
		return nil, fmt.Errorf("store: a match of %d bytes is too long to be saved", len(data))
	}
	return append(data, '\n'), nil
}

// decode reads one JSON value without unknown fields, and nothing after it.
func decode(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("store: not a match: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("store: not a match: more follows after it")
	}
	return nil
}
