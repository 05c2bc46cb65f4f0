package web

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

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
	if err == nil && len(key) != keySize {
		err = fmt.Errorf("%s has not %d bytes: make a new one with c4hat web --forget", p.file(), keySize)
	}
	return key, err
}

// makeKey returns the key, and creates it if there is none.
func (p *Pairings) makeKey() ([]byte, error) {
	key, err := p.key()
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		return nil, err
	}
	key = make([]byte, keySize)
	_, _ = rand.Read(key) // never fails
	// The file gets its name only when the key is on the disk. Otherwise a power cut could
	// leave an empty file, and then no browser could pair.
	f, err := os.CreateTemp(p.Dir, "web.key-*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(key)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Link(f.Name(), p.file()) // fails if another program has created the key first
	}
	if errors.Is(err, fs.ErrExist) {
		return p.key()
	}
	return key, err
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
