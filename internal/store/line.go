package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/c4hat/c4hat/internal/match"
)

// line is a line of both files, a match as a JSON object. Its last member is the CRC-32 of all bytes before it:
//
//	{"version":2,"id":"a1","board":"7x6",…,"rounds":["4453"],"crc":"9f3c2a11"}
type line struct {
	Version int `json:"version"`
	match.Document
	CRC string `json:"crc,omitempty"`
}

const version = 2 // 1 is c4hat 0.3's, in which spaces and tabs follow; what follows from the moves checks that

// ending returns what follows the data of a line.
func ending(data []byte) string { return fmt.Sprintf(`,"crc":"%08x"}`, crc32.ChecksumIEEE(data)) }

// encode returns a line with its newline.
func encode(d match.Document) []byte {
	data, _ := json.Marshal(line{Version: version, Document: d}) // strings and numbers, which JSON can express
	data = bytes.TrimSuffix(data, []byte("}"))
	return append(data, ending(data)+"\n"...)
}

// decode reads a line without its newline, with a method of its document. The error is a [match.Damage] that fits
// into a log: a wrong word may be long.
func decode[T any](text []byte, method func(match.Document) (T, error)) (t T, err error) {
	var l line
	data := text[:max(0, len(text)-len(ending(nil)))]
	if string(text[len(data):]) != ending(data) && !bytes.HasPrefix(text, []byte(`{"version":1,`)) {
		err = errors.New("the checksum is wrong")
	} else if err = json.Unmarshal(text, &l); err == nil && l.Version > version {
		err = fmt.Errorf("version: %d is not %d: was it written by another c4hat?", l.Version, version)
	}
	if err == nil {
		t, err = method(l.Document)
	}
	if err != nil {
		err = match.Damage{Err: fmt.Errorf("%.300s", err.Error())}
	}
	return t, err
}

// decodeMatch reads match.jsonl, of which the last good line counts. good is where that ends: a power cut leaves a
// line without its end after it, or zeros that stand for data.
func decodeMatch(data []byte) (r match.Record, good int, err error) {
	err = io.ErrUnexpectedEOF
	for end := bytes.LastIndexByte(data, '\n'); end >= 0; {
		start := bytes.LastIndexByte(data[:end], '\n') + 1
		if r, err = decode(data[start:end], match.Document.Record); err == nil {
			return r, end + 1, nil
		}
		end = start - 1
	}
	return match.Record{}, 0, match.Damage{Err: fmt.Errorf("no line is whole (%w)", err)}
}
