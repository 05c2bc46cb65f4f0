package speech

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestSockets(t *testing.T) {
	env := map[string]string{"SPEECHD_ADDRESS": "unix_socket:/tmp/s", "XDG_RUNTIME_DIR": "/run/user/1000"}
	got := Sockets(func(name string) string { return env[name] })
	if want := []string{"/tmp/s", "/run/user/1000/speech-dispatcher/speechd.sock", "/run/speech-dispatcher/speechd.sock"}; !slices.Equal(got, want) {
		t.Error(got)
	}
}

// install puts a shell script in the only folder of programs. It returns what the script wrote to "$0.said".
func install(t *testing.T, name, script string) (said func() string) {
	t.Helper()
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("needs a shell")
	}
	dir := os.Getenv("PATH")
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return func() string {
		text, _ := os.ReadFile(filepath.Join(dir, name+".said"))
		return string(text)
	}
}

// espeak-ng gets the text and how to speak; without a sound device it says so, with status 0.
func TestEspeak(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	o := Options{Rate: 200, Language: "en-gb"}
	if err := o.espeak(t.Context(), "red 4"); fmt.Sprint(err) != "espeak-ng is not installed" {
		t.Error(err)
	}
	for _, tt := range []struct{ script, want string }{
		{`echo "$*: $(/bin/cat)" >"$0.said"; echo "ALSA lib: underrun" >&2`, "<nil>"},
		{`echo "ALSA lib pcm.c: Unknown PCM default" >&2; echo "error: No such file or directory" >&2`, "error: No such file or directory"},
		{`echo usage >&2; exit 3`, "exit status 3: usage"},
		{`kill -9 $$`, "signal: killed"},
	} {
		said := install(t, "espeak-ng", tt.script)
		if err := o.espeak(t.Context(), "red\n4"); fmt.Sprint(err) != tt.want || said() != "-z -s 200 -v en-gb --stdin: red 4\n" {
			t.Errorf("%q: %v, %q", tt.script, err, said())
		}
	}
}

// speech-dispatcher is used if it listens. A text that is out of date is stopped there too.
func TestDispatcher(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	t.Setenv("XDG_RUNTIME_DIR", dir)
	o := Options{Rate: 450, Language: "en", Voice: "f3"}
	if err := o.dispatcher(t.Context(), "red 4"); fmt.Sprint(err) != "it is not running" {
		t.Error(err)
	}
	socket := filepath.Join(dir, "there")
	t.Setenv("SPEECHD_ADDRESS", "unix_socket:"+socket)
	if err := os.WriteFile(socket, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	said := install(t, "spd-say", `case "$*" in *cancel) echo "$*" >>"$0.said"; exit;; esac
echo "$*: $(/bin/cat)" >>"$0.said"
until /bin/grep -q cancel "$0.said"; do /bin/sleep 0.01; done`)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- o.dispatcher(ctx, "red 4") }()
	for said() == "" {
		select {
		case err := <-ended:
			t.Fatal(err)
		default:
		}
	}
	cancel()
	<-ended
	if want := "--pipe-mode --wait --priority text --application-name c4hat --rate 100 --language en --synthesis-voice f3: red 4\n--cancel\n"; said() != want {
		t.Errorf("%q", said())
	}
}
