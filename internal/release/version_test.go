// Package release_test tries the scripts that name a release.
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

// The version is the changelog's, whatever git knows.
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
		{"after it", "## Unreleased\n" + older, true, false, `0\.9\.0\+1\.g[0-9a-f]{8}`},
		{"after it, changed", "## Unreleased\n" + older, true, true, `0\.9\.0\+1\.g[0-9a-f]{8}\+dirty`},
		{"after it, without git", "## Unreleased\n" + older, false, false, `0\.9\.0\+unreleased`},
		{"before the first", "## Unreleased\n\n- more\n", true, false, ""},
		{"no day", "## 1.2.3\n" + older, true, false, ""},
		{"nothing", "", true, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "internal/release/version"), string(script), 0o755)
			write(t, filepath.Join(dir, "CHANGELOG.md"), tt.changelog, 0o644)
			if tt.git {
				git(t, dir, "init", "-q")
				git(t, dir, "add", ".")
				git(t, dir, "commit", "-q", "-m", "all")
				git(t, dir, "tag", "v7.7.7") // means nothing
			}
			if tt.dirty {
				write(t, filepath.Join(dir, "CHANGELOG.md"), tt.changelog+"- more\n", 0o644)
			}
			cmd := exec.Command("sh", filepath.Join(dir, "internal/release/version"))
			cmd.Env = append(gitEnvironment(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
			out, err := cmd.Output()
			got := strings.TrimSpace(string(out))
			if tt.want == "" {
				if err == nil {
					t.Errorf("is %q, and nothing is wrong", got)
				}
				return
			}
			if err != nil || !regexp.MustCompile(`^`+tt.want+`$`).MatchString(got) {
				t.Errorf("is %q, %v, want %s", got, err, tt.want)
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

// gitEnvironment has nothing of a repository whose hook runs the tests, and no settings
// of the user's: hooks, signatures.
func gitEnvironment() []string {
	env := slices.DeleteFunc(os.Environ(), func(s string) bool { return strings.HasPrefix(s, "GIT_") })
	return append(env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
}
