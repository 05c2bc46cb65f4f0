package hat

import (
	"image/color"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestAwaitGone(t *testing.T) {
	for name, take := range map[string]func(path string) error{
		"removed":  os.Remove,
		"moved":    func(path string) error { return os.Rename(path, path+".away") },
		"replaced": func(path string) error { return os.Rename(path+".other", path) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "fb")
			must(t, os.WriteFile(path+".other", nil, 0o666))
			must(t, os.WriteFile(path, nil, 0o666))
			m, err := OpenMatrix(&Opts{Framebuffer: path})
			must(t, err)
			defer m.Close()
			gone := make(chan error, 1)
			go func() { gone <- m.AwaitGone(t.Context()) }()
			// Neither frames nor other changes to the file end AwaitGone.
			frame := [64]color.RGBA{{R: 255}}
			must(t, m.WriteFrame(&frame))
			must(t, os.Chmod(path, 0o600))
			select {
			case err := <-gone:
				t.Fatalf("gone too early: %v", err)
			case <-time.After(50 * time.Millisecond):
			}
			must(t, take(path))
			select {
			case err := <-gone:
				if err != nil {
					t.Error(err)
				}
			case <-time.After(soon):
				t.Error("not noticed")
			}
		})
	}
}
