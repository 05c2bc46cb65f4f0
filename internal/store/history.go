package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"

	"github.com/c4hat/c4hat/internal/match"
)

const (
	historyName = "matches.jsonl"

	// maxHistory is the largest size of a history in bytes, more than people play in a lifetime. A
	// larger file must be something else.
	maxHistory = 1 << 30

	// tail is how many bytes at the end of the history are searched for a match before it is
	// entered. If the match is already in the history, it is among the last ones.
	tail = maxSize + block
)

// History reads the finished matches of a folder, the oldest first, one at a time. A line that is
// not a match yields a [match.Damage] that names the line and the match's number, and reading
// continues with the next line. An error of the disk ends the sequence. A folder without a history
// has no matches. History takes no lock, so it works while another program plays.
func History(dir string) iter.Seq2[match.Finished, error] { return history(osDisk{}, dir, 0) }

// history is like [History] for only the last matches; if last is 0, it yields all of them. The
// time it takes depends on how many matches it yields, not on the length of the history; if that
// leaves out matches, the others have no numbers.
func history(d disk, dir string, last int) iter.Seq2[match.Finished, error] {
	return func(yield func(match.Finished, error) bool) {
		f, size, err := openHistory(d, dir, os.O_RDONLY)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		var start int64
		if err == nil {
			defer f.Close()
			if last != 0 {
				start, err = lastStart(f, size, last)
			}
		}
		if err != nil {
			yield(match.Finished{}, fmt.Errorf("store: cannot read the history: %w", err))
			return
		}
		l := newLiner(io.NewSectionReader(f, start, size-start))
		for n, number := 1, 0; ; n++ {
			at := start + l.size
			err := l.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(match.Finished{}, fmt.Errorf("store: the history ends early: %w", err))
				return
			}
			if t := decodeTotals(l.line); at == 0 && t.Numbers() > 0 {
				number = t.Numbers()
				continue
			}
			if len(bytes.TrimSpace(l.line)) == 0 {
				continue
			}
			number++
			e, err := decodeFinished(l.line)
			if bad, ok := errors.AsType[match.Damage](err); ok {
				what := "line"
				if l.open {
					what = "the incomplete line"
				}
				if start == 0 {
					bad.Number, what = number, fmt.Sprintf("%s %d", what, n)
				} else {
					what = fmt.Sprintf("%s at byte %d", what, at)
				}
				bad.Err = fmt.Errorf("store: %s, %s: %w", filepath.Join(dir, historyName), what, bad.Err)
				err = bad
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func openHistory(d disk, dir string, flag int) (file, int64, error) {
	name := filepath.Join(dir, historyName)
	f, err := d.open(name, flag)
	if err != nil {
		return nil, 0, err
	}
	size, _, err := f.stat(name)
	if err == nil && size > maxHistory {
		err = &fs.PathError{Op: "open", Path: name, Err: errHuge}
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, size, nil
}

// lastStart returns the offset at which the last n matches begin.
func lastStart(f file, size int64, n int) (int64, error) {
	for most := int64(block); ; most *= 4 {
		data, err := theEnd(f, size, most)
		if err != nil {
			return 0, err
		}
		start := size - int64(len(data))
		for end, found := len(data), 0; end > 0; end = bytes.LastIndexByte(data[:end], '\n') {
			at := bytes.LastIndexByte(data[:end], '\n') + 1
			if at == 0 && start > 0 {
				break // the beginning of this line has not been read
			}
			if _, err := decodeFinished(data[at:end]); err == nil {
				if found++; found == n {
					return start + int64(at), nil
				}
			}
		}
		if start == 0 || most > maxHistory/100 { // so many bytes with so few matches are something else
			return start, nil
		}
	}
}

// Dropped counts the matches that a folder's history no longer has. Like [History] it takes
// no lock.
func Dropped(dir string) match.Totals { return dropped(osDisk{}, dir) }

func dropped(d disk, dir string) (t match.Totals) {
	f, _, err := openHistory(d, dir, os.O_RDONLY)
	if err != nil {
		return t
	}
	defer f.Close()
	if l := newLiner(f); l.next() == nil {
		t = decodeTotals(l.line)
	}
	return t
}

// unsynced is a line that was appended for a match and could be neither synced nor removed. After a
// failed fsync it must be written again, see [folder.sync].
type unsynced struct {
	id       string
	from, to int64
}

// record makes sure that the match is in the history, exactly once, and on the disk.
func (f *folder) record(e match.Finished) error {
	line, err := encodeFinished(e)
	if err != nil {
		return err
	}
	h, size, err := f.lockHistory()
	if err != nil {
		return err
	}
	defer h.Close()
	if was := f.unsynced; was.id == e.ID && was.to == size { // the file is unchanged since
		if err := h.Truncate(was.from); err != nil {
			return err
		}
		size = was.from
	}
	old, torn, err := find(h, size, e.ID)
	if err != nil {
		return err
	}
	keep, missing := size, line
	switch {
	case old.ID != "":
		if missing = nil; len(torn) > 0 {
			missing = []byte("\n")
		}
	case begins(line, torn): // the power was cut while this match was entered
		keep -= int64(len(torn))
	case len(torn) > 0:
		missing = append([]byte("\n"), line...) // keeps the damage out of this line
	}
	if keep < size {
		if err = h.Truncate(keep); err == nil {
			err = h.Sync()
		}
	}
	if err == nil && len(missing) > 0 {
		_, err = h.Write(missing)
	}
	// Sync even if nothing was written: the file or the match may be from a program that was killed
	// before its sync.
	if err == nil {
		err = h.Sync()
	}
	if err != nil {
		if f.unsynced = (unsynced{}); h.Truncate(keep) != nil {
			f.unsynced = unsynced{e.ID, keep, keep + int64(len(missing))}
		}
		return err
	}
	f.unsynced = unsynced{}
	if keep == 0 { // assume that the file is new
		f.renamed = true
	}
	if f.renamed {
		if err := f.disk.syncDir(f.dir); err != nil {
			return err
		}
	}
	f.startTrimming(keep + int64(len(missing)))
	return nil
}

// begins reports whether the end of a history is the beginning of this line, perhaps with zeros
// instead of some data, as after a power cut. The time at the end of the line may differ.
func begins(line, end []byte) bool {
	end = bytes.TrimRight(end, "\x00")
	known := bytes.Index(line, []byte(`"result"`))
	return bytes.HasPrefix(line, end[:min(len(end), known)])
}

// lockHistory opens the history to append to it, and returns its size. It waits for another program
// that is appending, and opens the file again if another program has replaced it with a shorter
// one.
func (f *folder) lockHistory() (file, int64, error) {
	for {
		h, _, err := openHistory(f.disk, f.dir, os.O_RDWR|os.O_APPEND|os.O_CREATE)
		if err != nil {
			return nil, 0, err
		}
		var size int64
		var named bool
		if err = h.lock(true); err != nil {
			err = fmt.Errorf("%s: %w", f.path(historyName), err)
		} else if size, named, err = h.stat(f.path(historyName)); err == nil && named {
			return h, size, nil
		}
		h.Close()
		if err != nil {
			return nil, 0, err
		}
	}
}

// find looks for a match at the end of a history. If the match is not there, its ID is empty. torn
// is the last line if it lacks its newline.
func find(f file, size int64, id string) (e match.Finished, torn []byte, err error) {
	data, err := theEnd(f, size, tail)
	quoted := []byte(`"` + id + `"`)
	for torn = range bytes.SplitSeq(data, []byte("\n")) {
		if bytes.Contains(torn, quoted) {
			if entry, err := decodeFinished(torn); err == nil && entry.ID == id {
				e = entry
			}
		}
	}
	return e, torn, err
}

// recorded looks for a match in the history, like [find]. A file that cannot be a history has no
// matches.
func (f *folder) recorded(id string) (match.Finished, error) {
	h, size, err := openHistory(f.disk, f.dir, os.O_RDONLY)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return match.Finished{}, nil
	case errors.Is(err, errIrregular), errors.Is(err, errHuge):
		f.log.Error("cannot use the history", "reason", err)
		return match.Finished{}, nil
	case err != nil:
		return match.Finished{}, err
	}
	defer h.Close()
	e, _, err := find(h, size, id)
	return e, err
}
