package web

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
)

// The page is small, and nothing in it is loaded from elsewhere.
func TestPage(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	address := regexp.MustCompile(`(?:https?:)?//[a-z0-9-]+\.[a-z]`)
	err := fs.WalkDir(Page(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(Page(), path)
		if err != nil {
			return err
		}
		for _, found := range address.FindAllString(strings.ReplaceAll(string(text), "http://www.w3.org/2000/svg", ""), -1) {
			t.Errorf("%s: %s", path, found)
		}
		if contentTypes[filepath.Ext(path)] == "" {
			t.Errorf("%s: of no known type", path)
		}
		_, err = z.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = z.Close()
	t.Log(packed.Len(), "bytes compressed")
	if packed.Len() > 60_000 {
		t.Errorf("%d bytes, want 60,000 at most", packed.Len())
	}
}

// index.html names every module, so that the browser loads all of them at once instead of finding
// each in another module's imports.
func TestModules(t *testing.T) {
	page, err := fs.ReadFile(Page(), "index.html")
	if err != nil {
		t.Fatal(err)
	}
	modules, _ := fs.Glob(Page(), "*.js")
	if len(modules) == 0 {
		t.Error("no modules")
	}
	for _, m := range modules {
		want := `<link rel="modulepreload" href="` + m + `">`
		switch m {
		case "app.js":
			want = `<script type="module" src="app.js">`
		case "start.js": // no module
			want = `<script src="start.js" defer>`
		case "screen.js":
			continue
		}
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("want %s", want)
		}
	}
}

// Every file is sent with its content type, compressed, and only if the browser does not have it.
func TestAssets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newTable(t, nil)
		c := g.browser()
		for path, kind := range map[string]string{
			"/": "text/html; charset=utf-8", "/style.css": "text/css; charset=utf-8", "/app.js": "text/javascript; charset=utf-8",
			"/icon.svg": "image/svg+xml", "/app.webmanifest": "application/manifest+json", "/icon-192.png": "image/png", "/screen": "text/html; charset=utf-8",
		} {
			answer, text := g.request(c, "GET", path, "")
			packed, _ := g.request(c, "GET", path, "", "Accept-Encoding: gzip")
			again, _ := g.request(c, "GET", path, "", "If-None-Match: "+answer.Header.Get("ETag"))
			if answer.StatusCode != 200 || answer.Header.Get("Content-Type") != kind || text == "" ||
				packed.Header.Get("Content-Encoding") != "gzip" || again.StatusCode != 304 {
				t.Errorf("%s: %v %v, %v, %d", path, answer.Status, answer.Header, packed.Header, again.StatusCode)
			}
		}
	})
}

func FuzzHost(f *testing.F) {
	for _, host := range []string{"localhost", "pi.local:80", "[::1]:8484", "[::1", "1.2.3.4", "a:b:c", "", ":", "[]", "fe80::1%eth0"} {
		f.Add(host)
	}
	s := &Server{host: "raspberrypi"}
	naive := regexp.MustCompile(`(?i)^(localhost|raspberrypi|[^ /\\@?#%:]+\.local|\[?[0-9a-f:.]+(%[^ ]+)?\]?)\.?(:[0-9]*)?$`)
	f.Fuzz(func(t *testing.T, host string) {
		if s.knows(host) && !naive.MatchString(host) {
			t.Errorf("%q is known", host)
		}
	})
}
