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
	"net/netip"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/c4hat/c4hat/internal/command/quote"
	"github.com/c4hat/c4hat/internal/service/socket"
)

//go:embed page
var files embed.FS

// Page returns the files of the page.
func Page() fs.FS {
	sub, _ := fs.Sub(files, "page")
	return sub
}

// asset returns the handler of a file of the page. Browsers ask whether it has changed.
func asset(name string) socket.Handler {
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

// guard refuses requests that do not come from this server's page: requests for a host name that a
// stranger may have pointed at this machine (DNS rebinding), and requests from a page of another
// origin.
func (s *Server) guard(w http.ResponseWriter, r *http.Request) error {
	head(w.Header())
	if !s.knows(r.Host) {
		return socket.Refuse(http.StatusMisdirectedRequest, "this page is not at %s: open it by the machine's address, or as %s.local", quote.Short(r.Host), s.host)
	}
	site, changes := r.Header.Get("Sec-Fetch-Site"), r.Method != http.MethodGet && r.Method != http.MethodHead
	foreign := strings.HasPrefix(r.URL.Path, "/v1/") && site != "" && site != "same-origin" && site != "none"
	if foreign || changes && (len(r.Header.Values("Origin")) != 1 || new(http.CrossOriginProtection).Check(r) != nil) {
		return socket.Refuse(http.StatusForbidden, "the request comes from another page, or does not say from which (Origin)")
	}
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); r.Method == http.MethodPost && (err != nil || kind != "application/json") {
		return socket.Refuse(http.StatusUnsupportedMediaType, "Content-Type: send application/json")
	}
	return nil
}

// knows reports whether a Host header names this server: an address, localhost, this
// machine's name, or a name under .local, which only the local network resolves.
func (s *Server) knows(host string) bool {
	u, err := url.Parse("http://" + host)
	if err != nil || u.Host != host || u.User != nil {
		return false
	}
	name := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	_, err = netip.ParseAddr(name)
	local, isLocal := strings.CutSuffix(name, ".local")
	return err == nil || name == "localhost" || isLocal && local != "" || s.host != "" && name == strings.ToLower(s.host)
}

// head sets the headers of every answer; only the page's files have another Cache-Control. With
// these headers the page loads nothing from other servers and sends no referrer, and no page may
// frame it.
func head(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
}
