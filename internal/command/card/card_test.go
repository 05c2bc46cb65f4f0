package card

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// text is what a test's file contains: its name, and in a package an archive around it.
func text(name string) string {
	if filepath.Ext(name) != ".deb" {
		return name
	}
	return "!<arch>\n" + name
}

// files writes files, and returns their folder.
func files(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text(name)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// contents returns the files of a folder, in order.
func contents(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		got, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if string(got) == text(e.Name()) {
			all = append(all, e.Name())
		} else {
			all = append(all, e.Name()+": "+strings.SplitN(string(got), "\n", 2)[0])
		}
	}
	return all
}

var fresh = []string{"config.txt", "meta-data", "user-data"}

func TestPrepare(t *testing.T) {
	packages := files(t, "c4hat_1.2_arm64.deb", "c4hat_1.2_armhf.deb", "c4hat_1.2_amd64.deb")
	boot := files(t, append(fresh, "c4hat_1.1_arm64.deb")...)
	want := []string{"c4hat_1.2_arm64.deb", "c4hat_1.2_armhf.deb", "config.txt", "meta-data", "user-data", "vendor-data: #!/bin/sh"}
	for range 2 {
		if copied, err := Prepare(boot, nil, "1.2", t.TempDir(), packages, packages); err != nil || !slices.Equal(copied, want[:2]) {
			t.Fatal(copied, err)
		}
		if got := contents(t, boot); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// What cannot work is refused in one line, and changes nothing.
func TestRefused(t *testing.T) {
	packages := files(t, "c4hat_1.2_arm64.deb", "c4hat_1.2_amd64.deb", "other_1_arm64.deb")
	if err := os.WriteFile(filepath.Join(packages, "c4hat_page_arm64.deb"), []byte("<html>"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		has, pkg, want string
	}{
		{"user-data", "c4hat_1.2_arm64.deb", "no config.txt"},
		{"config.txt user-data", "c4hat_1.2_arm64.deb", "October 2025"},
		{"config.txt meta-data", "c4hat_1.2_arm64.deb", "October 2025"},
		{"config.txt meta-data user-data vendor-data", "c4hat_1.2_arm64.deb", "is not c4hat's"},
		{"config.txt meta-data user-data", "c4hat_1.2_amd64.deb", "not a package of c4hat for Raspberry Pi OS"},
		{"config.txt meta-data user-data", "other_1_arm64.deb", "not a package of c4hat for Raspberry Pi OS"},
		{"config.txt meta-data user-data", "missing_arm64.deb", "not a package"},
		{"config.txt meta-data user-data", "c4hat.zip", "not a package"},
		{"config.txt meta-data user-data", "c4hat_9_arm64.deb", "no such file"},
		{"config.txt meta-data user-data", "c4hat_page_arm64.deb", "not a package"},
		{"config.txt meta-data user-data kernel7.img kernel8.img", "c4hat_1.2_arm64.deb", "needs a package for armhf"},
		{"config.txt meta-data user-data kernel8.img", "c4hat_1.2_armhf.deb", "needs a package for arm64"},
	} {
		boot := files(t, strings.Fields(test.has)...)
		before := contents(t, boot)
		_, err := Prepare(boot, []string{filepath.Join(packages, test.pkg)}, "1.2")
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v", test, err)
		}
		if after := contents(t, boot); !slices.Equal(after, before) {
			t.Errorf("%+v: %q, was %q", test, after, before)
		}
	}
	if copied, err := Prepare(files(t, fresh...), nil, "1.3", packages); err == nil {
		t.Error(copied)
	}
}

// A copy that fails leaves no part of the file.
func TestCutOff(t *testing.T) {
	boot := files(t, fresh...)
	name := filepath.Join(boot, "c4hat_1.2_arm64.deb")
	if os.Symlink("/dev/full", name+".new") != nil {
		t.Skip("Windows lets only some users make links")
	}
	if err := write(name, []byte("all")); err == nil {
		t.Error("no error")
	}
	if got := contents(t, boot); !slices.Equal(got, fresh) {
		t.Errorf("left: %q", got)
	}
}
