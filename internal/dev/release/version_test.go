// Package release_test tests the script that names a release.
package release_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The version comes from the changelog, not from git's tags.
func TestVersion(t *testing.T) {
	script, err := os.ReadFile("version")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	const older = "\n- more\n\n## 0.9.0 - 2026-01-31\n\n- less\n"
	for _, tt := range []struct {
		name, changelog string
		git, dirty      bool
		want            string
	}{
		{"release", "# Changelog\n\n## 1.2.3 - 2026-11-21\n" + older, true, false, `1\.2\.3`},
		{"release, changed", "## 1.2.3 - 2026-11-21\n" + older, true, true, `1\.2\.3\+dirty`},
		{"release, without git", "## 1.2.3 - 2026-11-21\n" + older, false, false, `1\.2\.3`},
		{"unreleased", "## Unreleased\n" + older, true, false, `0\.9\.0\+1\.g[0-9a-f]{8}`},
		{"unreleased, changed", "## Unreleased\n" + older, true, true, `0\.9\.0\+1\.g[0-9a-f]{8}\+dirty`},
		{"unreleased, without git", "## Unreleased\n" + older, false, false, `0\.9\.0\+unreleased`},
		{"no release yet", "## Unreleased\n\n- more\n", true, false, ""},
		{"no date", "## 1.2.3\n" + older, true, false, ""},
		{"empty", "", true, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "internal/dev/release/version"), string(script), 0o755)
			write(t, filepath.Join(dir, "CHANGELOG.md"), tt.changelog, 0o644)
			if tt.git {
				git(t, dir, "init", "-q")
				git(t, dir, "add", ".")
				git(t, dir, "commit", "-q", "-m", "all")
				git(t, dir, "tag", "v7.7.7") // must not matter
			}
			if tt.dirty {
				write(t, filepath.Join(dir, "CHANGELOG.md"), tt.changelog+"- more\n", 0o644)
			}
			cmd := exec.Command("sh", filepath.Join(dir, "internal/dev/release/version"))
			cmd.Env = append(gitEnvironment(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
			out, err := cmd.Output()
			got := strings.TrimSpace(string(out))
			if tt.want == "" {
				if err == nil {
					t.Errorf("got %q, want an error", got)
				}
				return
			}
			if err != nil || !regexp.MustCompile(`^`+tt.want+`$`).MatchString(got) {
				t.Errorf("got %q, %v, want %s", got, err, tt.want)
			}
		})
	}
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	args = append([]string{"-C", dir, "-c", "user.name=c4hat", "-c", "user.email=c4hat@localhost", "-c", "maintenance.auto=false"}, args...)
	cmd := exec.Command("git", args...)
	cmd.Env = gitEnvironment()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// gitEnvironment is the environment without the repository whose hook may run the tests, and
// without the user's git settings, such as hooks and signatures.
func gitEnvironment() []string {
	env := slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "GIT_") })
	return append(env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
}
