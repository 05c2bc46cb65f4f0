// Command pack writes a folder as an archive: pack FOLDER ARCHIVE. The archive's name says whether
// it is a .tar.gz or a .zip. The archive depends only on the files' names, contents and executable
// bits: every time in it is SOURCE_DATE_EPOCH, and every owner is root.
package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
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
	return errors.Join(pack(f, folder, strings.HasSuffix(archive, ".zip"), time.Unix(seconds, 0).UTC()), f.Close())
}

// pack writes the folder's files to an archive. Their names in the archive begin with the folder's
// name.
func pack(to io.Writer, folder string, zipped bool, at time.Time) error {
	z := zip.NewWriter(to)
	g, _ := gzip.NewWriterLevel(to, gzip.BestCompression) // fails only for a level that does not exist
	t := tar.NewWriter(g)
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error { // sorted by name
		if err != nil || d.IsDir() { // unpacking a file creates its folders
			return err
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s is not a regular file", path)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if info.Mode()&0o100 != 0 {
			mode = 0o755
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(filepath.Dir(filepath.Clean(folder)), path) // the folder has it
		name = filepath.ToSlash(name)
		var file io.Writer = t
		if zipped {
			h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: at}
			h.SetMode(mode)
			file, err = z.CreateHeader(h)
		} else {
			err = t.WriteHeader(&tar.Header{
				Typeflag: tar.TypeReg, Name: name, Mode: int64(mode), Size: int64(len(data)),
				ModTime: at, Uname: "root", Gname: "root", Format: tar.FormatUSTAR,
			})
		}
		if err == nil {
			_, err = file.Write(data)
		}
		return err
	})
	if zipped {
		return errors.Join(err, z.Close())
	}
	return errors.Join(err, t.Close(), g.Close())
}
