package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/c4hat/c4hat/internal/service/api"
	"github.com/c4hat/c4hat/internal/service/socket"
)

// An address may ask askBurst times, and then once per askTime, in seconds. A request that nobody admits counts
// as missCost more: after three of these the address must wait ten minutes.
const (
	askBurst = 12
	askTime  = 180
	missCost = 4
)

// pair handles POST /v1/pair: somebody at the HAT admits the browser by choosing the digit that the
// page shows, and the browser gets a cookie. If the browser disconnects, the HAT stops asking.
func (s *Server) pair(w http.ResponseWriter, r *http.Request, body []byte) (any, error) {
	digit, err := api.ReadAdmit(body)
	address := browserOf(r).address
	switch {
	case err != nil:
		return nil, socket.Refuse(http.StatusBadRequest, "%v", err)
	case !s.Joystick:
		return nil, socket.Refuse(http.StatusConflict, "there is no HAT to pair at: open the link that c4hat web printed")
	case !s.asked.Of(address).Allow():
		return nil, socket.Refuse(http.StatusTooManyRequests, "nobody has admitted this browser: try again in ten minutes")
	}
	admitted, err := s.Game.Admit(r.Context(), digit)
	if err != nil && r.Context().Err() == nil {
		return nil, err
	}
	if !admitted {
		s.asked.Of(address).ReserveN(time.Now(), missCost)
		return nil, socket.Refuse(http.StatusForbidden, "this browser was not admitted: another digit was chosen, or nobody answered within 30 seconds")
	}
	if err := s.issue(w, r); err != nil {
		return nil, err
	}
	return map[string]bool{"paired": true}, nil
}

func (s *Server) issue(w http.ResponseWriter, r *http.Request) error {
	cookie, err := s.Pairings.issue()
	if err != nil {
		return err
	}
	s.Log.Info("a browser is paired", "address", browserOf(r).address)
	http.SetCookie(w, cookie)
	return nil
}

// link returns the path of the next link, if key is that of the last one.
func (s *Server) link(key string) (path string, valid bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Invite == nil || subtle.ConstantTimeCompare([]byte(key), []byte(s.secret)) != 1 {
		return "", false
	}
	s.secret = rand.Text()
	return "/?key=" + s.secret, true
}

// enter pairs a browser that opens a link, and leads it to the page. Other browsers get
// the page at once.
func (s *Server) enter(page socket.Handler) socket.Handler {
	return func(w http.ResponseWriter, r *http.Request, body []byte) (any, error) {
		key := r.URL.Query().Get("key")
		if key == "" {
			return page(w, r, body)
		}
		if path, valid := s.link(key); valid {
			if err := s.issue(w, r); err != nil {
				return nil, err
			}
			_ = s.Invite(path) // the first browser has its link
		}
		w.Header().Set("Location", "/")
		w.WriteHeader(http.StatusSeeOther)
		return nil, nil
	}
}

const (
	cookieName = "c4hat"
	pairedFor  = 30 * 24 * time.Hour
	keySize    = 32
	cookieSize = 8 + 16 + sha256.Size // expiry time, random number, signature
)

// Pairings tells which browsers may press keys. It keeps no list of browsers: each paired browser
// has a cookie signed with the key in the folder Dir. Deleting the key ends all pairings.
type Pairings struct{ Dir string }

func (p *Pairings) file() string { return filepath.Join(p.Dir, "web.key") }

// Forget deletes the keys in the folders, which ends all pairings. some reports whether there was a
// key. If there was none, no browser was paired.
func Forget(dirs []string) (some bool, err error) {
	for _, dir := range dirs {
		err := os.Remove((&Pairings{dir}).file())
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return some, err
		}
		some = some || err == nil
	}
	return some, nil
}

// key reads the key from its file each time, so that Forget takes effect at once.
func (p *Pairings) key() ([]byte, error) {
	key, err := os.ReadFile(p.file())
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(key) != keySize {
		return nil, errNoKey
	}
	return key, err
}

var errNoKey = errors.New("no browser is paired")

// makeKey returns the key. If there is none, or a power cut has left only a part of one, it makes another.
func (p *Pairings) makeKey() ([]byte, error) {
	key, err := p.key()
	if err == nil || !errors.Is(err, errNoKey) {
		return key, err
	}
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		return nil, err
	}
	key = make([]byte, keySize)
	_, _ = rand.Read(key) // never fails
	return key, os.WriteFile(p.file(), key, 0o600)
}

// issue returns a cookie for a newly paired browser.
func (p *Pairings) issue() (*http.Cookie, error) {
	key, err := p.makeKey()
	if err != nil {
		return nil, fmt.Errorf("cannot keep the pairing: %w", err)
	}
	value := make([]byte, cookieSize)
	binary.BigEndian.PutUint64(value, uint64(time.Now().Add(pairedFor).Unix()))
	_, _ = rand.Read(value[8:24])
	copy(value[24:], sign(key, value[:24]))
	return &http.Cookie{
		Name: cookieName, Value: base64.RawURLEncoding.EncodeToString(value), Path: "/",
		MaxAge: int(pairedFor / time.Second), HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}, nil
}

// valid reports whether a cookie's value was issued with the current key and has not expired.
func (p *Pairings) valid(text string) bool {
	value, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(value) != cookieSize {
		return false
	}
	key, err := p.key()
	if err != nil || !hmac.Equal(value[24:], sign(key, value[:24])) {
		return false
	}
	return time.Now().Unix() < int64(binary.BigEndian.Uint64(value))
}

func sign(key, text []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(text)
	return h.Sum(nil)
}
