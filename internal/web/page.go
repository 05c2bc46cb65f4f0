package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"
	"sync"
)

//go:embed page
var files embed.FS

func Page() fs.FS {
	sub, _ := fs.Sub(files, "page")
	return sub
}

type asset struct {
	name string
	once sync.Once
	text []byte
	gzip []byte
	tag  string
}

// assets returns the files of the page by path.
func assets() map[string]map[string]route {
	all := map[string]map[string]route{}
	entries, _ := fs.ReadDir(Page(), ".")
	for _, e := range entries {
		a := &asset{name: e.Name()}
		at := "/" + a.name
		if a.name == "index.html" {
			at = "/"
		}
		all[at] = map[string]route{"GET": {anybody, a.answer}}
	}
	return all
}

// answer sends the file, unless the browser has it already.
func (a *asset) answer(_ *Server, w http.ResponseWriter, r *http.Request, _ []byte) error {
	a.once.Do(a.pack)
	h := w.Header()
	h.Set("ETag", a.tag)
	h.Set("Cache-Control", "no-cache") // the browser must ask whether the file has changed
	if r.Header.Get("If-None-Match") == a.tag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Type", contentType(a.name))
	h.Set("Vary", "Accept-Encoding")
	text := a.text
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		text = a.gzip
	}
	_, _ = w.Write(text) // the browser may have closed the connection
	return nil
}

func (a *asset) pack() {
	a.text, _ = fs.ReadFile(Page(), a.name)
	var packed bytes.Buffer
	z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	_, _ = z.Write(a.text)
	_ = z.Close()
	a.gzip = packed.Bytes()
	sum := sha256.Sum256(a.text)
	a.tag = `"` + hex.EncodeToString(sum[:8]) + `"`
}

// contentType returns a file's type. For the page's files, the machine's table of types is not used.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".webmanifest":
		return "application/manifest+json"
	}
	return mime.TypeByExtension(path.Ext(name))
}
