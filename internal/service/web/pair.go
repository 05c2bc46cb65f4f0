package web

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/c4hat/c4hat/internal/service/api"
	"github.com/c4hat/c4hat/internal/service/socket"
)

// After maxMisses requests that nobody admits, an address may ask once in ten minutes.
const (
	maxMisses = 3
	missRate  = 1.0 / 600 // per second
)

// pair handles POST /v1/pair: somebody at the HAT admits the browser by choosing the digit that the
// page shows, and the browser gets a cookie. If the browser disconnects, the HAT stops asking.
func (s *Server) pair(w http.ResponseWriter, r *http.Request, body []byte) (any, error) {
	var ask struct {
		Digit int `json:"digit"`
	}
	err := api.Decode(body, &ask)
	misses := s.misses.Pace(socket.ConnOf(r).User)
	switch {
	case err != nil:
		return nil, err
	case !s.Joystick:
		return nil, socket.Refuse(http.StatusConflict, "there is no HAT to pair at: open the link that c4hat web printed")
	case misses.Tokens() < 1:
		return nil, socket.Refuse(http.StatusTooManyRequests, "nobody has admitted this browser: try again in ten minutes")
	}
	admitted, err := s.Game.Admit(r.Context(), ask.Digit)
	if err != nil && r.Context().Err() == nil {
		return nil, err
	}
	if !admitted {
		misses.Allow()
		return nil, socket.Refuse(http.StatusForbidden, "this browser was not admitted: somebody refused, or nobody answered within 30 seconds")
	}
	return map[string]bool{"paired": true}, s.admit(w, r)
}

// admit pairs a browser.
func (s *Server) admit(w http.ResponseWriter, r *http.Request) error {
	cookie, err := s.pairings.issue()
	if err != nil {
		return fmt.Errorf("cannot save the pairing: %w", err)
	}
	s.Log.Info("a browser is paired", "address", socket.ConnOf(r).User)
	http.SetCookie(w, cookie)
	return nil
}

// invite makes another link.
func (s *Server) invite() error {
	if s.Invite == nil {
		return nil
	}
	key := rand.Text()
	s.secret.Store(key)
	return s.Invite("/?key=" + key)
}

// enter handles GET /: it sends the page. The first browser that opens a link is paired, and led to the page.
func (s *Server) enter(w http.ResponseWriter, r *http.Request, _ []byte) (any, error) {
	key := r.URL.Query().Get("key")
	if key == "" {
		http.ServeFileFS(w, r, files, "page/index.html")
		return nil, nil
	}
	if s.secret.CompareAndSwap(key, "") {
		_ = s.invite()
		if err := s.admit(w, r); err != nil {
			return nil, err
		}
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil, nil
}

const (
	cookieName = "c4hat"
	pairedFor  = 30 * 24 * time.Hour
	keySize    = 32
)

// pairings tell which browsers may press keys. They are a folder with a key, which signs the cookies of paired
// browsers. There is no list of browsers.
type pairings string

func (p pairings) file() string { return filepath.Join(string(p), "web.key") }

// Forget ends all pairings whose key is in a folder. The error is [fs.ErrNotExist] if there are none.
func Forget(folder string) error { return os.Remove(pairings(folder).file()) }

// key returns nil if there is none, or only what a power cut has left of one: a part, or zeros. It reads the file
// each time, so that [Forget] takes effect at once.
func (p pairings) key() []byte {
	if key, err := os.ReadFile(p.file()); err == nil && len(key) == keySize && !bytes.Equal(key, make([]byte, keySize)) {
		return key
	}
	return nil
}

// issue returns the cookie of another paired browser.
func (p pairings) issue() (*http.Cookie, error) {
	if p.key() == nil {
		key := make([]byte, keySize)
		_, _ = rand.Read(key) // never fails
		if err := cmp.Or(os.MkdirAll(string(p), 0o700), os.WriteFile(p.file(), key, 0o600)); err != nil {
			return nil, err
		}
	}
	return &http.Cookie{
		Name: cookieName, Value: sign(p.key(), rand.Text(), time.Now().Add(pairedFor).Unix()), Path: "/",
		MaxAge: int(pairedFor / time.Second), HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}, nil
}

// read returns the number of a paired browser's cookie. It is not ok if the cookie was not signed with the key,
// or has expired.
func (p pairings) read(cookie string) (number string, ok bool) {
	number, rest, _ := strings.Cut(cookie, ".")
	until, _, _ := strings.Cut(rest, ".")
	expires, _ := strconv.ParseInt(until, 10, 64)
	key := p.key()
	return number, key != nil && hmac.Equal([]byte(cookie), []byte(sign(key, number, expires))) && time.Now().Unix() < expires
}

// sign returns a cookie: a browser's random number, when it expires in Unix seconds, and a signature of both.
func sign(key []byte, number string, expires int64) string {
	text := fmt.Sprintf("%s.%d", number, expires)
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return fmt.Sprintf("%s.%x", text, h.Sum(nil))
}
