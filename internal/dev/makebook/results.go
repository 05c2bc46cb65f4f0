package main

import (
	"bufio"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/c4hat/c4hat/board/solver/book"
)

// results has the results so far, in memory and in an append-only file. Each line ends
// with its checksum.
//
//	score PLY RANK SCORE WORK #CHECKSUM    of a quiet position
//	quick PLY RANK SCORE COLUMNS #…        with its best moves; took at most quickNodes
//	slow  PLY RANK SCORE COLUMNS #…        with its best moves; took more, or is early
//
// WORK is the bit length of the number of nodes, with a table filled by earlier positions.
// COLUMNS is a bit set for the position that [book.Unrank] returns.
type results struct {
	book    *book.Book // the existing book
	mu      sync.Mutex
	scores  map[key]int8
	work    map[key]uint8
	answers map[key]answer
	file    *os.File
	out     *bufio.Writer
}

// answer is a position's score and best moves.
type answer struct {
	score int8
	best  uint8 // columns
	slow  bool  // took more than quickNodes without the book, or is early
}

// openResults reads a file of results, or creates one. skipped counts damaged lines.
func openResults(name string) (r *results, skipped int, err error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, 0, err
	}
	r = &results{scores: map[key]int8{}, work: map[key]uint8{}, answers: map[key]answer{}, file: f, out: bufio.NewWriter(f)}
	in := bufio.NewReader(f)
	for {
		line, err := in.ReadString('\n')
		switch {
		case errors.Is(err, io.EOF):
			if line != "" { // the last line was cut short, so the next result must start a new line
				skipped++
				_, err = r.out.WriteString("\n")
				return r, skipped, err
			}
			return r, skipped, nil
		case err != nil:
			return nil, 0, err
		case !r.read(line):
			skipped++
		}
	}
}

func (r *results) read(line string) bool {
	text, sum, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " #")
	if sum != checksum(text) {
		return false
	}
	var kind string
	var ply int
	var rank uint32
	var score int8
	var last uint8
	if _, err := fmt.Sscan(text, &kind, &ply, &rank, &score, &last); err != nil {
		return false
	}
	k := keyAt(ply, rank)
	r.scores[k] = score
	if kind == "score" {
		r.work[k] = last
	} else {
		r.answers[k] = answer{score: score, best: last, slow: kind == "slow"}
	}
	return true
}

func checksum(text string) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(text))) }

func (r *results) add(kind string, k key, score int8, last uint8) error {
	text := fmt.Sprintf("%s %d %d %d %d", kind, k.ply(), k.rank(), score, last)
	_, err := fmt.Fprintf(r.out, "%s #%s\n", text, checksum(text))
	return err
}

func (r *results) score(k key) (int, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if score, ok := r.scores[k]; ok {
		return int(score), true
	}
	b := r.book.Bounds(book.Unrank(k.ply(), k.rank()))
	return b.Low, b.Low == b.High
}

func (r *results) setScore(k key, score int, work uint8) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.scores[k], r.work[k] = int8(score), work
	return r.add("score", k, int8(score), work)
}

func (r *results) answer(k key) (answer, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a, ok := r.answers[k]
	return a, ok
}

func (r *results) setAnswer(k key, a answer) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.scores[k], r.answers[k] = a.score, a
	kind := "quick"
	if a.slow {
		kind = "slow"
	}
	return r.add(kind, k, a.score, a.best)
}

// flush writes the new results to the file.
func (r *results) flush() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.out.Flush()
}

func (r *results) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.scores)
}
