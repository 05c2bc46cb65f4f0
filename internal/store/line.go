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

const version = 2 // 1 is c4hat 0.3's, with another checksum; a line of another version is damaged

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
	sealed := string(text[len(data):]) == ending(data)
	if !sealed && !oldSum(text) {
		err = errors.New("the checksum is wrong")
	} else if err = json.Unmarshal(text, &l); err == nil && sealed && l.Version != version {
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

// decodeMatch reads match.jsonl, of which the last good line counts. size is that of the data, or 0 if more follows:
// a power cut leaves a line without its end, or with zeros that stand for data.
func decodeMatch(data []byte) (r match.Record, size int, err error) {
	err = io.ErrUnexpectedEOF
	for end := bytes.LastIndexByte(data, '\n'); end >= 0; {
		start := bytes.LastIndexByte(data[:end], '\n') + 1
		if r, err = decode(data[start:end], match.Document.Record); err == nil {
			if end == len(data)-1 {
				size = len(data)
			}
			return r, size, nil
		}
		end = start - 1
	}
	return match.Record{}, 0, match.Damage{Err: fmt.Errorf("no line is whole (%w)", err)}
}

// oldSum checks what c4hat 0.3 wrote after a line: the bits of its checksum, as 32 spaces and tabs. Some had none.
func oldSum(line []byte) bool {
	data := bytes.TrimRight(line, " \t")
	var sum uint32
	for bit, c := range line[len(data):] {
		if c == '\t' {
			sum |= 1 << bit
		}
	}
	return bytes.HasPrefix(line, []byte(`{"version":1,`)) && (len(data) == len(line) || sum == crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)))
}
