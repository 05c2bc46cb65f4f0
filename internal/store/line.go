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

// Every line of both files is a match as a JSON object. Its last member is the CRC-32 of all bytes before it:
//
//	{"version":2,"id":"a1","board":"7x6",…,"rounds":["4453"],"crc":"9f3c2a11"}
const (
	version    = 2
	oldVersion = 1 // of c4hat 0.3; a line of another version is damaged
)

// ending returns what follows the data of a line.
func ending(data []byte) string { return fmt.Sprintf(`,"crc":"%08x"}`, crc32.ChecksumIEEE(data)) }

// encode returns a line with its newline. It takes a Document's results.
func encode(d match.Document, err error) ([]byte, error) {
	d.Version = version
	data, jsonErr := json.Marshal(d)
	data = bytes.TrimSuffix(data, []byte("}"))
	return append(append(data, ending(data)...), '\n'), errors.Join(err, jsonErr)
}

// decode reads a line without its newline, with a method of its document. The error is a [match.Damage] that fits
// into a log: a wrong word may be long.
func decode[T any](line []byte, method func(match.Document) (T, error)) (t T, err error) {
	var d match.Document
	data := line[:max(0, len(line)-len(ending(nil)))]
	switch {
	case string(line[len(data):]) == ending(data):
		d, err = match.Read(append(bytes.Clone(data), '}'), version)
	case bytes.HasPrefix(line, []byte(`{"version":1,`)) && oldSum(line):
		d, err = match.Read(line, oldVersion)
	default:
		err = errors.New("the checksum is wrong")
	}
	if err == nil {
		t, err = method(d)
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

// oldSum checks what c4hat 0.3 wrote after a line: the bits of its checksum, as 32 spaces and tabs. Before 0.3,
// there was none.
func oldSum(line []byte) bool {
	data := bytes.TrimRight(line, " \t")
	var sum uint32
	for bit, c := range line[len(data):] {
		if c == '\t' {
			sum |= 1 << bit
		}
	}
	return len(data) == len(line) || sum == crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
}
