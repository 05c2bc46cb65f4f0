package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"sync"

	"github.com/c4hat/c4hat/internal/match"
)

// A file of another version is treated as damaged, because its meaning is unknown.
const (
	lineVersion    = 1 // of the history's lines, and of match.json while no program runs
	journalVersion = 2
)

// maxSize is the largest size of match.json or of a line of the history, in bytes. Even a match of
// many rounds needs only a few thousand.
const maxSize = 1 << 20

// A line of the history ends with its checksum as 32 spaces and tabs. JSON allows them there, so
// c4hat 0.2 and other programs still read the line. Lines of older versions have no checksum.
const checkSize = 32

// castagnoli is made when it is first needed: that takes a while, and the first picture does not wait for it.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// seal returns a line of JSON with its checksum and a newline, or an error if the line is too long
// to be read again.
func seal(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if len(data) > maxSize-checkSize {
		return nil, fmt.Errorf("store: a match of %d bytes is too long to be saved", len(data))
	}
	sum := crc32.Checksum(data, castagnoli())
	for bit := range checkSize {
		data = append(data, " \t"[sum>>bit&1])
	}
	return append(data, '\n'), nil
}

// unseal returns a line without its checksum, and an error if the checksum is wrong.
func unseal(line []byte) ([]byte, error) {
	if len(line) > maxSize {
		return nil, fmt.Errorf("not a match: more than %d bytes", maxSize)
	}
	if len(line)-len(bytes.TrimRight(line, " \t")) < checkSize {
		return line, nil
	}
	data, check := line[:len(line)-checkSize], line[len(line)-checkSize:]
	var sum uint32
	for bit, c := range check {
		if c == '\t' {
			sum |= 1 << bit
		}
	}
	if crc32.Checksum(data, castagnoli()) != sum {
		return nil, errors.New("the checksum is wrong")
	}
	return data, nil
}

func encodeFinished(f match.Finished) ([]byte, error) { return sealLine(f.Document()) }

func sealLine(d match.Document, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	d.Version = lineVersion
	return seal(d)
}

// decodeFinished reads what encodeFinished returns, without its newline. The error is a
// [match.Damage].
func decodeFinished(line []byte) (f match.Finished, err error) {
	data, err := unseal(line)
	var d match.Document
	if err == nil {
		d, err = match.Read(data, lineVersion)
	}
	if err == nil {
		f, err = d.Finished()
	}
	return f, damage(err)
}

// damage returns an error as a [match.Damage], shortened to fit into a log: a wrong word in a file
// may be a megabyte long.
func damage(err error) error {
	const most = 300
	if err == nil {
		return nil
	}
	if text := err.Error(); len(text) > most {
		err = errors.New(strings.ToValidUTF8(text[:most], "") + " and so on")
	}
	return match.Damage{Err: err}
}

// totalsLine is the first line of a history whose oldest matches were dropped.
type totalsLine struct {
	Version int          `json:"version"`
	Dropped match.Totals `json:"dropped"`
}

// decodeTotals returns the totals of a line, or none if the line is not a [totalsLine].
func decodeTotals(line []byte) match.Totals {
	var l totalsLine
	data, err := unseal(line)
	if err == nil {
		err = match.Strict(data, &l)
	}
	if err != nil || l.Version != lineVersion || l.Dropped.Numbers() < 1 || l.Dropped.Check() != nil {
		return match.Totals{}
	}
	return l.Dropped
}
