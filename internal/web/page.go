package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"
)

//go:embed page
var files embed.FS

// Page returns the files of the page.
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

// answer sends the file, unless the browser already has it.
func (a *asset) answer(_ *Server, w http.ResponseWriter, r *http.Request, _ []byte) error {
	a.once.Do(a.pack)
	h := w.Header()
	h.Set("ETag", a.tag)
	h.Set("Cache-Control", "no-cache") // the browser must ask whether the file has changed
	if r.Header.Get("If-None-Match") == a.tag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h.Set("Content-Type", contentTypes[path.Ext(a.name)])
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

// contentTypes are the content types of the page's files. The machine's own table is not used,
// because it may differ.
var contentTypes = map[string]string{
	".html":        "text/html; charset=utf-8",
	".css":         "text/css; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".svg":         "image/svg+xml",
	".webmanifest": "application/manifest+json",
}
