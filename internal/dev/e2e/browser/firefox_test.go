package browser

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/chromedp/kb"
)

// firefox drives Firefox through WebDriver BiDi, in which each message is a JSON document on a
// WebSocket.
type firefox struct {
	p    *page
	conn net.Conn
	in   *bufio.Reader
	tab  string // the page's browsing context

	mu      sync.Mutex
	last    int
	answers map[int]chan answer
}

type answer struct {
	ID             int
	Type, Method   string
	Error, Message string
	Result, Params json.RawMessage
}

// preferences of Firefox, by what open calls them.
var preferences = map[string]string{
	"dark": `"ui.systemUsesDarkTheme", 1`, "forced": `"browser.display.document_color_use", 2`, "reduced": `"ui.prefersReducedMotion", 1`,
}

func startFirefox(p *page, path string, prefers []string) driver {
	p.t.Helper()
	profile, err := os.MkdirTemp("", "c4hat-firefox-*")
	if err != nil {
		p.t.Fatal(err)
	}
	// Nothing is asked of the Internet, and timers of a page behind another one run as usual.
	prefs := []string{
		`"app.update.disabledForTesting", true`, `"browser.shell.checkDefaultBrowser", false`, `"datareporting.policy.dataSubmissionEnabled", false`,
		`"network.captive-portal-service.enabled", false`, `"network.connectivity-service.enabled", false`, `"services.settings.server", "data:,"`,
		`"browser.region.network.url", ""`, `"extensions.getAddons.cache.enabled", false`, `"browser.safebrowsing.update.enabled", false`,
		`"dom.min_background_timeout_value", 4`, `"browser.newtabpage.enabled", false`, `"focusmanager.testmode", true`, `"remote.active-protocols", 1`,
	}
	for _, what := range prefers {
		prefs = append(prefs, preferences[what])
	}
	text := ""
	for _, pref := range prefs {
		text += "user_pref(" + pref + ");\n"
	}
	if err := os.WriteFile(filepath.Join(profile, "user.js"), []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(path, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port=0", "about:blank")
	cmd.Env = append(os.Environ(), "HOME="+profile, "MOZ_CRASHREPORTER_DISABLE=1")
	out, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	addresses := make(chan string, 1)
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if _, address, ok := strings.Cut(lines.Text(), "listening on ws://"); ok {
				addresses <- address
			}
		}
	}()
	p.t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-read
		_ = cmd.Wait()
		_ = os.RemoveAll(profile)
	})
	f := &firefox{p: p, answers: map[int]chan answer{}}
	ctx, cancel := context.WithTimeout(context.Background(), 5*patience) // a busy machine starts a browser slowly
	defer cancel()
	select {
	case address := <-addresses:
		err = f.connect(ctx, address)
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return f
}

func (f *firefox) connect(ctx context.Context, address string) (err error) {
	if f.conn, err = new(net.Dialer).DialContext(ctx, "tcp", address); err != nil {
		return err
	}
	f.p.t.Cleanup(func() { f.conn.Close() })
	fmt.Fprintf(f.conn, "GET /session HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n\r\n",
		address, base64.StdEncoding.EncodeToString([]byte(rand.Text())[:16]))
	f.in = bufio.NewReader(f.conn)
	hello, err := http.ReadResponse(f.in, nil)
	if err != nil {
		return err
	}
	if hello.StatusCode != http.StatusSwitchingProtocols {
		return fmt.Errorf("WebDriver BiDi: %s", hello.Status)
	}
	go f.listen()
	if _, err := f.call(ctx, "session.new", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{"acceptInsecureCerts": true}}}); err != nil {
		return err
	}
	if _, err := f.call(ctx, "session.subscribe", map[string]any{"events": []string{"log.entryAdded", "network.beforeRequestSent", "network.fetchError"}}); err != nil {
		return err
	}
	text, err := f.call(ctx, "browsingContext.create", map[string]any{"type": "window"}) // in the first one, Enter presses no button
	var tab struct{ Context string }
	if err == nil {
		err = json.Unmarshal(text, &tab)
	}
	f.tab = tab.Context
	return err
}

// listen reads messages (RFC 6455, section 5) until the connection is closed.
func (f *firefox) listen() {
	var text []byte
	for {
		var head [2]byte
		if _, err := io.ReadFull(f.in, head[:]); err != nil {
			return
		}
		size := uint64(head[1] & 0x7f)
		if size >= 126 {
			wide := make([]byte, map[uint64]int{126: 2, 127: 8}[size])
			if _, err := io.ReadFull(f.in, wide); err != nil {
				return
			}
			size = binary.BigEndian.Uint64(append(make([]byte, 8-len(wide)), wide...))
		}
		part := make([]byte, size)
		if _, err := io.ReadFull(f.in, part); err != nil {
			return
		}
		if head[0]&0x0f > 2 { // control frames, of which only a ping needs an answer, and Firefox sends none
			continue
		}
		if text = append(text, part...); head[0]&0x80 != 0 {
			f.hear(text)
			text = nil
		}
	}
}

func (f *firefox) hear(text []byte) {
	var a answer
	if json.Unmarshal(text, &a) != nil {
		return
	}
	switch a.Method {
	case "log.entryAdded":
		var entry struct{ Level, Text string }
		if _ = json.Unmarshal(a.Params, &entry); entry.Level == "error" {
			f.p.fault(entry.Text)
		}
	case "network.beforeRequestSent":
		var sent struct{ Request struct{ URL string } }
		if _ = json.Unmarshal(a.Params, &sent); strings.HasPrefix(sent.Request.URL, "http") {
			f.p.requested(sent.Request.URL)
		}
	case "":
		f.mu.Lock()
		defer f.mu.Unlock()
		if to := f.answers[a.ID]; to != nil {
			to <- a
			delete(f.answers, a.ID)
		}
	}
}

// call sends a command and returns its result.
func (f *firefox) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	f.mu.Lock()
	f.last++
	id, answered := f.last, make(chan answer, 1)
	f.answers[id] = answered
	text, err := json.Marshal(map[string]any{"id": id, "method": method, "params": params})
	if err == nil {
		// One frame. Firefox closes the connection if the mask is zero.
		frame := []byte{0x81, 0x80 | byte(len(text))}
		switch {
		case len(text) > 0xffff:
			frame[1] = 0x80 | 127
			frame = binary.BigEndian.AppendUint64(frame, uint64(len(text)))
		case len(text) > 125:
			frame[1] = 0x80 | 126
			frame = binary.BigEndian.AppendUint16(frame, uint16(len(text)))
		}
		mask := []byte("c4ha")
		for i := range text {
			text[i] ^= mask[i%4]
		}
		_, err = f.conn.Write(slices.Concat(frame, mask, text))
	}
	f.mu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case a := <-answered:
		if a.Type == "error" {
			return nil, fmt.Errorf("%s: %s: %s", method, a.Error, a.Message)
		}
		return a.Result, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", method, ctx.Err())
	}
}

func (f *firefox) eval(ctx context.Context, expression string) (json.RawMessage, error) {
	text, err := f.call(ctx, "script.evaluate", map[string]any{"expression": expression, "target": map[string]string{"context": f.tab}, "awaitPromise": true})
	if err != nil {
		return nil, err
	}
	var doc struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails struct{ Text string }
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	if doc.ExceptionDetails.Text != "" {
		return nil, fmt.Errorf("%s: %s", expression, doc.ExceptionDetails.Text)
	}
	return doc.Result.Value, nil
}

func (f *firefox) navigate(ctx context.Context, url string) error {
	_, err := f.call(ctx, "browsingContext.navigate", map[string]string{"context": f.tab, "url": url, "wait": "complete"})
	return err
}

// act performs the actions of an input device.
func (f *firefox) act(ctx context.Context, device map[string]any, actions ...map[string]any) error {
	device["id"], device["actions"] = "one", actions
	_, err := f.call(ctx, "input.performActions", map[string]any{"context": f.tab, "actions": []any{device}})
	if err == nil {
		_, err = f.call(ctx, "input.releaseActions", map[string]string{"context": f.tab})
	}
	return err
}

var webDriverKeys = strings.NewReplacer(kb.ArrowLeft, "\ue012", kb.ArrowUp, "\ue013", kb.ArrowRight, "\ue014", kb.ArrowDown, "\ue015", "\t", "\ue004", "\r", "\ue007")

func (f *firefox) keys(ctx context.Context, keys string) error {
	var actions []map[string]any
	for _, key := range webDriverKeys.Replace(keys) {
		actions = append(actions, map[string]any{"type": "keyDown", "value": string(key)}, map[string]any{"type": "keyUp", "value": string(key)})
	}
	return f.act(ctx, map[string]any{"type": "key"}, actions...)
}

func (f *firefox) mouse(ctx context.Context, x, y float64, click bool) error {
	actions := []map[string]any{{"type": "pointerMove", "x": int(x), "y": int(y)}}
	if click {
		actions = append(actions, map[string]any{"type": "pointerDown", "button": 0}, map[string]any{"type": "pointerUp", "button": 0})
	}
	return f.act(ctx, map[string]any{"type": "pointer", "parameters": map[string]string{"pointerType": "mouse"}}, actions...)
}

func (f *firefox) tap(ctx context.Context, x, y float64) error {
	return f.act(ctx, map[string]any{"type": "pointer", "parameters": map[string]string{"pointerType": "touch"}},
		map[string]any{"type": "pointerMove", "x": int(x), "y": int(y)}, map[string]any{"type": "pointerDown", "button": 0}, map[string]any{"type": "pointerUp", "button": 0})
}

func (f *firefox) size(ctx context.Context, width, height int64) error {
	_, err := f.call(ctx, "browsingContext.setViewport", map[string]any{"context": f.tab, "viewport": map[string]int64{"width": width, "height": height}})
	return err
}

func (f *firefox) shot(ctx context.Context) ([]byte, error) {
	text, err := f.call(ctx, "browsingContext.captureScreenshot", map[string]string{"context": f.tab})
	var doc struct{ Data []byte }
	if err == nil {
		err = json.Unmarshal(text, &doc)
	}
	return doc.Data, err
}
