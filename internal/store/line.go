package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"

	"github.com/c4hat/c4hat/internal/match"
)

// Every line of both files is a match as a JSON object. Its last member is the CRC-32 of all bytes before it:
//
//	{"version":2,"id":"a1","board":"7x6",…,"rounds":["4453"],"crc":"9f3c2a11"}
const (
	version    = 2
	oldVersion = 1 // of c4hat 0.3, without a CRC; a line of another version is damaged
	maxLine    = 1 << 18
	crcFormat  = `,"crc":"%08x"}`
	crcSize    = 18
)

var errWrong = errors.New("the checksum is wrong")

// encode returns a line with its newline. It takes a Document's results.
func encode(d match.Document, err error) ([]byte, error) {
	d.Version = version
	data, jsonErr := json.Marshal(d)
	if err = errors.Join(err, jsonErr); err != nil {
		return nil, err
	}
	data = data[:len(data)-1] // without the brace
	line := fmt.Appendf(data, crcFormat+"\n", crc32.ChecksumIEEE(data))
	if len(line) > maxLine {
		return nil, fmt.Errorf("a match of %d bytes is too long to be saved", len(line))
	}
	return line, nil
}

// decode reads what encode returns, without the newline, or a line of c4hat 0.3.
func decode(line []byte) (match.Document, error) {
	n := max(0, len(line)-crcSize)
	switch {
	case len(line) >= maxLine:
		return match.Document{}, fmt.Errorf("more than %d bytes", maxLine)
	case !bytes.HasPrefix(line[n:], []byte(`,"crc":"`)):
		if !oldSum(line) {
			return match.Document{}, errWrong
		}
		return match.Read(line, oldVersion)
	case string(line[n:]) != fmt.Sprintf(crcFormat, crc32.ChecksumIEEE(line[:n])):
		return match.Document{}, errWrong
	}
	return match.Read(append(bytes.Clone(line[:n]), '}'), version)
}

func oldTable() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) }

// oldSum checks what c4hat 0.3 wrote after a line: the bits of its checksum, as 32 spaces and tabs.
func oldSum(line []byte) bool {
	data := bytes.TrimRight(line, " \t")
	var sum uint32
	for bit, c := range line[len(data):] {
		if c == '\t' {
			sum |= 1 << bit
		}
	}
	return len(line)-len(data) < 32 || sum == crc32.Checksum(data, oldTable())
}

func decodeFinished(line []byte) (f match.Finished, err error) {
	d, err := decode(line)
	if err == nil {
		f, err = d.Finished()
	}
	return f, damage(err)
}

// decodeMatch reads match.jsonl, of which the last whole line counts. torn reports whether more follows, as
// after a power cut: a line without its end, or with zeros that stand for data.
func decodeMatch(data []byte) (r match.Record, torn bool, err error) {
	for {
		end := bytes.LastIndexByte(data, '\n')
		if end < 0 {
			return r, torn, damage(errors.New("no line is whole"))
		}
		torn = torn || end < len(data)-1
		data = data[:end]
		line := data[bytes.LastIndexByte(data, '\n')+1:]
		d, err := decode(line)
		if err == nil {
			r, err = d.Record()
		}
		if err == nil || bytes.IndexByte(line, 0) < 0 {
			return r, torn, damage(err)
		}
		torn = true
	}
}

// decodeOld reads match.json, the running match of c4hat 0.3: a line, and after a crash further ones such as
// "14+3 9f3c2a11": of the moves the first 14 characters stay, 3 is added, and the checksum is of all that stands
// before it. Zeros are at the end.
func decodeOld(data []byte) (r match.Record, torn bool, err error) {
	data = bytes.TrimRight(data, "\x00")
	head, _, _ := bytes.Cut(data, []byte("\n"))
	if !oldSum(head) {
		return r, false, damage(errWrong)
	}
	d, err := match.Read(head, oldVersion, oldVersion+1)
	moves := strings.Join(d.Rounds, "/")
	for at := len(head) + 1; err == nil && at < len(data); {
		line, _, ended := bytes.Cut(data[at:], []byte("\n"))
		change, sum, _ := strings.Cut(string(line), " ")
		kept, added, _ := strings.Cut(change, "+")
		n, bad := strconv.Atoi(kept)
		before := data[:min(at+len(change)+1, len(data))]
		if bad != nil || n < 0 || n > len(moves) || sum != fmt.Sprintf("%08x", crc32.Checksum(before, oldTable())) {
			if torn = !ended || bytes.IndexByte(line, 0) >= 0; !torn {
				return r, false, damage(errWrong)
			}
			break
		}
		moves, at = moves[:n]+added, at+len(line)+1
	}
	if d.Rounds = strings.Split(moves, "/"); err == nil {
		r, err = d.Record()
	}
	return r, torn, damage(err)
}

// damage returns an error as a [match.Damage] that fits into a log: a wrong word in a file may be long.
func damage(err error) error {
	if err == nil {
		return nil
	}
	return match.Damage{Err: fmt.Errorf("%.300s", err.Error())}
}
