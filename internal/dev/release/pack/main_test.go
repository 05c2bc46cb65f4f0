package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

var at = time.Date(2026, 11, 21, 12, 0, 1, 0, time.UTC)

// tree makes a folder to pack, with permissions and times that must not affect an archive.
func tree(t *testing.T, open bool, touched time.Time) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "c4hat-1")
	modes := map[bool][2]os.FileMode{true: {0o755, 0o644}, false: {0o700, 0o600}}[open]
	for name, mode := range map[string]os.FileMode{"bin/c4hat": modes[0], "README.md": modes[1], "share/man/c4hat.1": modes[1]} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("this is "+name), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, touched, touched); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// listed is the contents of every archive of a tree.
var listed = []string{
	"c4hat-1/README.md -rw-r--r-- 2026-11-21T12:00:01Z this is README.md",
	"c4hat-1/bin/c4hat -rwxr-xr-x 2026-11-21T12:00:01Z this is bin/c4hat",
	"c4hat-1/share/man/c4hat.1 -rw-r--r-- 2026-11-21T12:00:01Z this is share/man/c4hat.1",
}

func TestPack(t *testing.T) {
	for _, zipped := range []bool{false, true} {
		var one, two bytes.Buffer
		for out, dir := range map[*bytes.Buffer]string{&one: tree(t, true, time.Now()), &two: tree(t, false, time.Unix(1e9, 0))} {
			if err := pack(out, dir, zipped, at); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(one.Bytes(), two.Bytes()) {
			t.Errorf("zipped %v: the archive depends on permissions or times", zipped)
		}
		list := listTar
		if zipped {
			list = listZip
		}
		if got := list(t, one.Bytes()); !slices.Equal(got, listed) {
			t.Errorf("zipped %v: got %q, want %q", zipped, got, listed)
		}
	}
}

func listTar(t *testing.T, archive []byte) (files []string) {
	g, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	if g.Name != "" || !g.ModTime.IsZero() {
		t.Errorf("gzip header has name %q and time %v", g.Name, g.ModTime)
	}
	for r := tar.NewReader(g); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 {
			t.Errorf("%s has owner %d:%d, want root", h.Name, h.Uid, h.Gid)
		}
		files = append(files, describe(t, h.Name, h.FileInfo().Mode(), h.ModTime, r))
	}
}

func listZip(t *testing.T, archive []byte) (files []string) {
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, describe(t, f.Name, f.Mode(), f.Modified, r))
	}
	return files
}

func describe(t *testing.T, name string, mode os.FileMode, at time.Time, r io.Reader) string {
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(name, " ", mode, " ", at.UTC().Format(time.RFC3339), " ", string(data))
}

// Input that would make archives differ between machines is rejected.
func TestPackErrors(t *testing.T) {
	dir := tree(t, true, at)
	if err := run(dir, filepath.Join(t.TempDir(), "x.tar.gz"), ""); err == nil {
		t.Error("packed without a time")
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link")); err != nil {
		t.Skip(err)
	}
	if err := pack(io.Discard, dir, false, at); err == nil {
		t.Error("packed a symbolic link")
	}
}
