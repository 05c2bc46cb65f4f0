package web

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
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
	digit, err := api.ReadAdmit(body)
	misses := s.misses.Of(socket.ConnOf(r).User)
	switch {
	case err != nil:
		return nil, err
	case !s.Joystick:
		return nil, socket.Refuse(http.StatusConflict, "there is no HAT to pair at: open the link that c4hat web printed")
	case misses.Tokens() < 1:
		return nil, socket.Refuse(http.StatusTooManyRequests, "nobody has admitted this browser: try again in ten minutes")
	}
	admitted, err := s.Game.Admit(r.Context(), digit)
	if err != nil && r.Context().Err() == nil {
		return nil, err
	}
	if !admitted {
		misses.Allow()
		return nil, socket.Refuse(http.StatusForbidden, "this browser was not admitted: another digit was chosen, or nobody answered within 30 seconds")
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
	signedSize = 8 + 16 // bytes of a cookie: when it expires, and a random number; a signature of both follows
)

// pairings tell which browsers may press keys. They are a folder with a key, which signs the cookies of paired
// browsers. There is no list of browsers.
type pairings string

func (p pairings) file() string { return filepath.Join(string(p), "web.key") }

// Forget ends all pairings whose key is in a folder. The error is [fs.ErrNotExist] if there are none.
func Forget(folder string) error { return os.Remove(pairings(folder).file()) }

// key returns nil if there is none, or only the part of one that was being written when the power failed. It
// reads the file each time, so that [Forget] takes effect at once.
func (p pairings) key() []byte {
	if key, err := os.ReadFile(p.file()); err == nil && len(key) == keySize {
		return key
	}
	return nil
}

func (p pairings) save(key []byte) error {
	if err := os.MkdirAll(string(p), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(p.file(), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(key)
	return cmp.Or(err, f.Sync(), f.Close())
}

// issue returns the cookie of another paired browser.
func (p pairings) issue() (*http.Cookie, error) {
	key := p.key()
	if key == nil {
		key = make([]byte, keySize)
		_, _ = rand.Read(key) // never fails
		if err := p.save(key); err != nil {
			return nil, err
		}
	}
	value := make([]byte, signedSize)
	_, _ = rand.Read(value)
	binary.BigEndian.PutUint64(value, uint64(time.Now().Add(pairedFor).Unix()))
	return &http.Cookie{
		Name: cookieName, Value: base64.RawURLEncoding.EncodeToString(sign(key, value)), Path: "/",
		MaxAge: int(pairedFor / time.Second), HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}, nil
}

// read returns the number of a paired browser's cookie. It is not ok if the cookie was not signed with the key,
// or has expired.
func (p pairings) read(cookie string) (number string, ok bool) {
	value, err := base64.RawURLEncoding.DecodeString(cookie)
	key := p.key()
	if err != nil || key == nil || len(value) < signedSize || !hmac.Equal(value, sign(key, value[:signedSize])) {
		return "", false
	}
	return hex.EncodeToString(value[8:16]), time.Now().Unix() < int64(binary.BigEndian.Uint64(value))
}

// sign returns the value with its signature.
func sign(key, value []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(value)
	return h.Sum(value[:signedSize:signedSize])
}
