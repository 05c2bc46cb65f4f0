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

// journal is the content of match.json. The first line is the match's document. Each further line
// changes its moves, which are the rounds with '/' between them: "14+3 9f3c2a11" keeps the first 14
// characters and adds 3. The line ends with the checksum of everything in the file before it, so
// lines can be neither changed nor exchanged.
//
// Zeros fill the file up to a multiple of fileBlock. So a line changes neither the file's size nor its
// blocks, and to sync it the disk writes one block instead of four, of which three are ext4's own.
type journal struct {
	match match.Record // as the last line leaves it
	moves string
	sum   uint32 // of the lines
	size  int    // of the lines
}

const fileBlock = 4096

// fill returns lines that end a journal, with the zeros after them where there are none yet.
func (j journal) fill(lines []byte) []byte {
	filled := func(size int) int { return (size + fileBlock - 1) / fileBlock * fileBlock }
	if size := filled(j.size); size > filled(j.size-len(lines)) {
		lines = append(lines, make([]byte, size-j.size)...)
	}
	return lines
}

// maxJournal is the size at which a journal is written anew, in bytes. Only a match with hundreds of
// discs taken back becomes so long.
const maxJournal = 64 << 10

func movesOf(r match.Record) string { return strings.Join(r.Rounds(), "/") }

// newJournal returns a journal that begins with a match, and its content: a document, a line that
// changes nothing, because every journal ends with a checksum, and zeros.
func newJournal(r match.Record) (j journal, data []byte, err error) {
	d, err := r.Document()
	if err != nil {
		return j, nil, err
	}
	d.Version = journalVersion
	if data, err = json.Marshal(d); err != nil {
		return j, nil, err
	}
	data = append(data, '\n')
	j = journal{r, movesOf(r), crc32.Checksum(data, castagnoli()), len(data)}
	j, line, _ := j.change(r)
	if data = append(data, line...); j.size > maxJournal {
		return j, nil, fmt.Errorf("store: a match of %d bytes is too long to be saved", len(data))
	}
	return j, j.fill(data), nil
}

// change returns the journal with a line added that changes its match to r, and the line. ok is
// false if r is another match, or if the journal is too long.
func (j journal) change(r match.Record) (next journal, line []byte, ok bool) {
	same := j.match.Start() == r.Start()
	moves := movesOf(r)
	kept := 0
	for kept < min(len(moves), len(j.moves)) && moves[kept] == j.moves[kept] {
		kept++
	}
	line = fmt.Appendf(nil, "%d+%s ", kept, moves[kept:])
	line = fmt.Appendf(line, "%08x\n", crc32.Update(j.sum, castagnoli(), line))
	j = journal{r, moves, crc32.Update(j.sum, castagnoli(), line), j.size + len(line)}
	return j, line, same && j.size <= maxJournal
}

// decodeMatch reads match.json: a journal, a line of sealLine's, or what c4hat 0.1 and 0.2 wrote, a
// line without a checksum.
// torn reports whether the last line was cut off, as by a power cut while it was written; the match
// is then the one before it. The error is a [match.Damage].
func decodeMatch(data []byte) (r match.Record, torn bool, err error) {
	if len(data) > maxSize {
		return r, false, damage(fmt.Errorf("not a match: more than %d bytes", maxSize))
	}
	head, lines, _ := bytes.Cut(data, []byte("\n"))
	document, err := unseal(head)
	var d match.Document
	if err == nil {
		d, err = match.Read(document, journalVersion, lineVersion)
	}
	if err == nil {
		r, err = d.Record()
	}
	if err != nil {
		return r, false, damage(err)
	}
	if d.Version == lineVersion {
		if len(lines) > 0 {
			err = damage(errors.New("not a match: more follows after it"))
		}
		return r, false, err
	}
	moves, sum := movesOf(r), crc32.Checksum(data[:len(data)-len(lines)], castagnoli())
	lines = bytes.TrimRight(lines, "\x00")
	for n := 0; n == 0 || len(lines) > 0; n++ {
		line, rest, ended := bytes.Cut(lines, []byte("\n"))
		changed, ok := apply(moves, line, sum)
		if !ok {
			// One write adds a line. If the power is cut, its end may be missing, and there may be
			// zeros in it.
			torn = n > 0 && len(rest) == 0 && (!ended || bytes.IndexByte(line, 0) >= 0)
			if !torn {
				return match.Record{}, false, damage(fmt.Errorf("not a match: the checksum of line %d is wrong", n+2))
			}
			break
		}
		sum = crc32.Update(sum, castagnoli(), lines[:len(lines)-len(rest)])
		moves, lines = changed, rest
	}
	d.Rounds = strings.Split(moves, "/")
	r, err = d.Record()
	return r, torn, damage(err)
}

// apply returns the moves after a change. sum is the checksum of the file before the line.
func apply(moves string, line []byte, sum uint32) (string, bool) {
	change, check, _ := strings.Cut(string(line), " ")
	kept, added, _ := strings.Cut(change, "+")
	n, err := strconv.Atoi(kept)
	if err != nil || n < 0 || n > len(moves) || len(change) == len(line) {
		return "", false
	}
	sum = crc32.Update(sum, castagnoli(), line[:len(change)+1])
	return moves[:n] + added, check == fmt.Sprintf("%08x", sum)
}
