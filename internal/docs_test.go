package internal_test

import (
	"encoding/json"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/internal/front/hatpanel"
	"github.com/c4hat/c4hat/internal/match"
)

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every level and palette is documented.
func TestDocsLevelsAndPalettes(t *testing.T) {
	for what, in := range map[string]struct {
		words []string
		files []string
	}{
		"level":   {match.LevelNames(), []string{"README.md", "doc/levels.md", "doc/socket.md", "cmd/c4hat/play.go"}},
		"palette": {hatpanel.Palettes(), []string{"doc/configuration.md", "internal/service/web/page/index.html"}},
	} {
		for _, file := range in.files {
			text := read(t, file)
			for _, word := range in.words {
				if !regexp.MustCompile(`\b` + word + `\b`).MatchString(text) {
					t.Errorf("%s does not mention the %s %s", file, what, word)
				}
			}
		}
	}
	for i, name := range match.LevelNames() {
		for _, file := range []string{"README.md", "doc/levels.md"} {
			if !regexp.MustCompile(fmt.Sprintf("(?m)^\\| %d `?%s\\b", i+1, name)).MatchString(read(t, file)) {
				t.Errorf("%s does not list %s as level %d", file, name, i+1)
			}
		}
	}
	if want := fmt.Sprintf("or 1 to %d ", len(match.LevelNames())); !strings.Contains(read(t, "doc/socket.md"), want) {
		t.Errorf("doc/socket.md does not say that a level is %q", want)
	}
	for _, palette := range hatpanel.Palettes() {
		if palette != hatpanel.Classic && !strings.Contains(read(t, "internal/service/web/page/style.css"), "[data-palette="+palette+"]") {
			t.Errorf("the page in browsers has no colours of the palette %s", palette)
		}
	}
}

// The files that these pages name exist, and so do the functions and types, such as `session.Run` or
// `hat.Joystick.ReadEvent`.
func TestDocsNames(t *testing.T) {
	sources := map[string]string{} // by package name
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			name := filepath.Base(filepath.Dir(path))
			sources[name] += read(t, strings.TrimPrefix(path, "../"))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"doc/architecture.md", "doc/adding.md", "doc/hat.md"} {
		for _, quoted := range regexp.MustCompile("`[^`\n]+`").FindAllString(read(t, file), -1) {
			word := strings.Trim(quoted, "`")
			names := strings.Split(strings.TrimSuffix(word, "()"), ".")
			switch source, ours := sources[names[0]]; {
			case regexp.MustCompile(`^(board|cmd|doc|hat|internal|systemd)/[^ *]+$`).MatchString(word):
				if _, err := os.Stat(filepath.Join("..", word)); err != nil {
					t.Errorf("%s: there is no %s", file, word)
				}
			case ours && len(names) > 1 && token.IsExported(names[1]):
				for _, name := range names[1:] {
					if !regexp.MustCompile(`\b` + name + `\b`).MatchString(source) {
						t.Errorf("%s: there is no %s", file, word)
					}
				}
			}
		}
	}
}

// The screen in doc/adding.md compiles, and is one.
func TestDocsCode(t *testing.T) {
	dir, overlay := t.TempDir(), map[string]string{}
	add := func(path, text string) {
		there, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		overlay[there] = filepath.Join(dir, strings.ReplaceAll(path, "/", "_"))
		if err := os.WriteFile(overlay[there], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, block := range regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(read(t, "doc/adding.md"), -1) {
		add("game/about.go", block[1])
	}
	phase := "const About Phase = \"about\"\n"
	if strings.Contains(read(t, "internal/game/phase.go"), "\tAbout ") {
		phase = "" // somebody follows the page
	}
	add("game/is.go", "package game\n"+phase+"var _ screen = new(about)\n")
	list, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "overlay"), list, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "list", "-export", "-overlay", filepath.Join(dir, "overlay"), "./game").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// CONTRIBUTING.md names only targets of the Makefile that exist, and all targets that run tests.
func TestDocsTargets(t *testing.T) {
	makefile, guide := read(t, "Makefile"), read(t, "CONTRIBUTING.md")
	told := make(map[string]bool)
	for _, row := range regexp.MustCompile("(?m)^\\| (`.*?) \\|").FindAllStringSubmatch(guide, -1) {
		for _, target := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(row[1], -1) {
			told[target[1]] = true
			if !regexp.MustCompile(`(?m)^` + target[1] + `:`).MatchString(makefile) {
				t.Errorf("CONTRIBUTING.md names make %s, which does not exist", target[1])
			}
		}
	}
	for _, target := range regexp.MustCompile(`(?m)^((?:test|e2e|bench)-\w+|fuzz|soak|levels):`).FindAllStringSubmatch(makefile, -1) {
		if !told[target[1]] {
			t.Errorf("CONTRIBUTING.md does not name make %s", target[1])
		}
	}
}
