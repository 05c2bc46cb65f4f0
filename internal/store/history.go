package store

import (
	"bufio"
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

// History reads the finished matches of a folder, the oldest first, one at a time. A line that is not a match
// yields a [match.Damage] with its number, and reading continues. An error of the disk ends the sequence. A
// folder without a history has no matches. History takes no lock, so it works while another program plays.
func History(dir string) iter.Seq2[match.Finished, error] { return history(osDisk{}, dir, 0) }

// history is like [History] for the last lines alone unless last is 0, however long the history is.
func history(d disk, dir string, last int) iter.Seq2[match.Finished, error] {
	return func(yield func(match.Finished, error) bool) {
		name := filepath.Join(dir, historyName)
		f, err := d.open(name, os.O_RDONLY)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		start, place := int64(0), "line"
		if err == nil {
			defer f.Close()
			if last > 0 {
				start, err = lastLines(f, name, last)
			}
		}
		if err != nil {
			yield(match.Finished{}, fmt.Errorf("store: cannot read the history: %w", err))
			return
		}
		if start > 0 {
			place = fmt.Sprintf("after byte %d, line", start)
		}
		lines := bufio.NewReaderSize(io.NewSectionReader(f, start, 1<<62), maxLine)
		for n, number := 1, 0; err == nil; n++ {
			var line []byte
			line, err = lines.ReadSlice('\n')
			for errors.Is(err, bufio.ErrBufferFull) { // the rest of a line that decode refuses
				_, err = lines.ReadSlice('\n')
			}
			if err != nil && err != io.EOF {
				yield(match.Finished{}, fmt.Errorf("store: the history ends early: %w", err))
				return
			}
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			number++
			e, bad := decodeFinished(bytes.TrimSuffix(line, []byte("\n")))
			if bad != nil {
				d := match.Damage{Err: fmt.Errorf("store: %s, %s %d: %w", name, place, n, bad)}
				if start == 0 {
					d.Number = number
				}
				bad = d
			}
			if !yield(e, bad) {
				return
			}
		}
	}
}

// tail returns the end of a file, and where it begins.
func tail(f file, name string) (data []byte, start int64, err error) {
	size, _, err := f.stat(name)
	if err != nil {
		return nil, 0, err
	}
	data = make([]byte, min(size, 2*maxLine))
	if _, err = f.ReadAt(data, size-int64(len(data))); errors.Is(err, io.EOF) {
		err = nil
	}
	return data, size - int64(len(data)), err
}

// lastLines returns where the last n lines begin, or as many of them as are in the tail.
func lastLines(f file, name string, n int) (int64, error) {
	data, start, err := tail(f, name)
	at := len(bytes.TrimRight(data, "\n"))
	first := len(data)
	for range n {
		if at = bytes.LastIndexByte(data[:at], '\n'); at < 0 {
			if start == 0 {
				first = 0
			}
			break
		}
		first = at + 1
	}
	return start + int64(first), err
}

// has reports whether the end of a history has a match.
func has(data []byte, id string) bool {
	for line := range bytes.SplitSeq(data, []byte("\n")) {
		if bytes.Contains(line, []byte(`"`+id+`"`)) {
			if e, err := decodeFinished(line); err == nil && e.ID == id {
				return true
			}
		}
	}
	return false
}

// over reports whether a match is in the history. If this program saves here, it is on the disk then.
func (f *folder) over(id string) (bool, error) {
	h, err := f.disk.open(f.path(historyName), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer h.Close()
	data, _, err := tail(h, f.path(historyName))
	found := err == nil && has(data, id)
	if found && f.lock != nil {
		err = errors.Join(h.Sync(), f.disk.syncDir(f.dir))
	}
	return found, err
}

// record makes sure that a match is in the history, once, and on the disk.
func (f *folder) record(id string, line []byte) error {
	lock, err := f.disk.lock(f.path(historyLock), true)
	if err != nil {
		return err
	}
	defer lock.Close()
	h, err := f.disk.open(f.path(historyName), os.O_RDWR|os.O_APPEND|os.O_CREATE)
	if err != nil {
		return err
	}
	defer h.Close()
	data, start, err := tail(h, f.path(historyName))
	if err != nil {
		return err
	}
	size := start + int64(len(data))
	last := data[bytes.LastIndexByte(bytes.TrimSuffix(data, []byte("\n")), '\n')+1:]
	left := bytes.TrimRight(last, "\x00\n")
	found := false
	switch {
	// An attempt that failed, or a power cut, has left this line or its beginning, perhaps with zeros. What fsync
	// could not write must be written again, since the kernel takes it for written (fsync(2)). The time after the
	// result may be another one.
	case bytes.HasPrefix(line, left[:min(len(left), bytes.Index(line, []byte(`"result"`)))]):
		size -= int64(len(last))
		err = h.Truncate(size)
	case has(data, id):
		found = true
	case !bytes.HasSuffix(last, []byte("\n")): // not ours
		line = append([]byte("\n"), line...)
	}
	if err == nil && !found {
		_, err = h.Write(line)
	}
	if err == nil {
		err = h.Sync()
	}
	if err != nil && !found {
		_ = h.Truncate(size)
	}
	if err == nil && size == 0 { // the file is new
		err = f.disk.syncDir(f.dir)
	}
	return err
}
