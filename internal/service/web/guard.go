package web

import (
	"mime"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/c4hat/c4hat/internal/service/socket"
	"github.com/c4hat/c4hat/internal/words"
)

// secure sets the headers of every answer. With these headers the page loads nothing from other servers
// and sends no referrer, and no page may frame it.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "+
		"manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
}

// guard refuses what a browser may not do, requests for a host name that a stranger may have pointed at this machine
// (DNS rebinding), and changes from a page of another origin.
func (s *Server) guard(r *http.Request, paired bool) error {
	changes := r.Method != http.MethodGet && r.Method != http.MethodHead
	game := strings.HasPrefix(r.URL.Path, "/v1/")
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	plays := changes && r.URL.Path != "/v1/analyse"
	asks := r.URL.Path == "/v1/you" || r.URL.Path == "/v1/pair"
	switch {
	case !s.knows(r.Host):
		return socket.Refuse(http.StatusMisdirectedRequest, "this page is not at %s: open it by the machine's address, or as %s.local", words.Quote(r.Host), s.host)
	case new(http.CrossOriginProtection).Check(r) != nil || changes && len(r.Header.Values("Origin")) != 1:
		return socket.Refuse(http.StatusForbidden, "Origin: send this page's address, as a browser does")
	case r.Method == http.MethodPost && kind != "application/json":
		return socket.Refuse(http.StatusUnsupportedMediaType, "Content-Type: send application/json")
	case game && !paired && !asks && (plays || s.WatchPaired):
		return socket.Refuse(http.StatusUnauthorized, "pair this browser first")
	}
	return nil
}

// knows reports whether a Host header names this server: an address, localhost, this
// machine's name, or a name under .local, which only the local network resolves.
func (s *Server) knows(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil { // there is no port
		name = strings.Trim(host, "[]")
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	_, err = netip.ParseAddr(name)
	return err == nil || name == "localhost" || name == strings.ToLower(s.host) || strings.HasSuffix(name, ".local")
}
