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
	"time"

	"github.com/c4hat/c4hat/internal/httplimit"
)

//go:embed page
var files embed.FS

// Page returns the files of the page.
func Page() fs.FS {
	sub, _ := fs.Sub(files, "page")
	return sub
}

// asset returns the handler of a file of the page. Browsers ask whether it has changed.
func asset(name string) httplimit.Handler {
	text, _ := fs.ReadFile(Page(), name)
	sum := sha256.Sum256(text)
	packed := sync.OnceValue(func() []byte {
		var b bytes.Buffer
		z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
		_, _ = z.Write(text)
		_ = z.Close()
		return b.Bytes()
	})
	return func(w http.ResponseWriter, r *http.Request, _ []byte) (any, error) {
		h := w.Header()
		h.Set("ETag", `"`+hex.EncodeToString(sum[:8])+`"`)
		h.Set("Cache-Control", "no-cache")
		h.Set("Content-Type", contentTypes[path.Ext(name)])
		h.Set("Vary", "Accept-Encoding")
		text := text
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			h.Set("Content-Encoding", "gzip")
			text = packed()
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(text))
		return nil, nil
	}
}

// contentTypes are the content types of the page's files. The machine's own table is not used,
// because it may differ.
var contentTypes = map[string]string{
	".html":        "text/html; charset=utf-8",
	".css":         "text/css; charset=utf-8",
	".js":          "text/javascript; charset=utf-8",
	".svg":         "image/svg+xml",
	".png":         "image/png",
	".webmanifest": "application/manifest+json",
}
