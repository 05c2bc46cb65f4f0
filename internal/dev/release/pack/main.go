// Command pack writes a folder as an archive: pack FOLDER ARCHIVE. The archive's name says whether
// it is a .tar.gz or a .zip. The archive depends only on the files' names, contents and executable
// bits: every time in it is SOURCE_DATE_EPOCH, and every owner is root.
package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: SOURCE_DATE_EPOCH=SECONDS pack FOLDER ARCHIVE.tar.gz|ARCHIVE.zip")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Getenv("SOURCE_DATE_EPOCH")); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func run(folder, archive, epoch string) error {
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		return fmt.Errorf("SOURCE_DATE_EPOCH is %q: use seconds since 1970", epoch)
	}
	f, err := os.Create(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := pack(f, folder, strings.HasSuffix(archive, ".zip"), time.Unix(seconds, 0).UTC()); err != nil {
		return err
	}
	return f.Close()
}

// pack writes the folder's files to an archive. Their names in the archive begin with the folder's
// name.
func pack(to io.Writer, folder string, zipped bool, at time.Time) error {
	var add func(file) error
	var end func() error
	if zipped {
		z := zip.NewWriter(to)
		end = z.Close
		add = func(f file) error {
			h := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
			h.SetMode(f.mode)
			w, err := z.CreateHeader(h)
			if err == nil {
				_, err = w.Write(f.data)
			}
			return err
		}
	} else {
		g, _ := gzip.NewWriterLevel(to, gzip.BestCompression) // fails only for a level that does not exist
		t := tar.NewWriter(g)
		end = func() error {
			if err := t.Close(); err != nil {
				return err
			}
			return g.Close()
		}
		add = func(f file) error {
			err := t.WriteHeader(&tar.Header{
				Typeflag: tar.TypeReg, Name: f.name, Mode: int64(f.mode), Size: int64(len(f.data)),
				ModTime: at, Uname: "root", Gname: "root", Format: tar.FormatUSTAR,
			})
			if err == nil {
				_, err = t.Write(f.data)
			}
			return err
		}
	}
	base := filepath.Dir(filepath.Clean(folder))
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error { // sorted by name
		if err != nil || d.IsDir() { // unpacking a file creates its folders
			return err
		}
		f, err := read(base, path, d)
		if err != nil {
			return err
		}
		return add(f)
	})
	if err != nil {
		return err
	}
	return end()
}

// file is a file to pack.
type file struct {
	name string
	mode fs.FileMode // 0755 if executable, else 0644
	data []byte
}

func read(base, path string, d fs.DirEntry) (file, error) {
	if !d.Type().IsRegular() {
		return file{}, fmt.Errorf("%s is not a regular file", path)
	}
	info, err := d.Info()
	if err != nil {
		return file{}, err
	}
	name, err := filepath.Rel(base, path)
	if err != nil {
		return file{}, err
	}
	data, err := os.ReadFile(path)
	mode := fs.FileMode(0o644)
	if info.Mode()&0o100 != 0 {
		mode = 0o755
	}
	return file{filepath.ToSlash(name), mode, data}, err
}
