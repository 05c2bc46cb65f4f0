// Package card prepares a card with Raspberry Pi OS for its first boot, which then installs c4hat
// without a network.
package card

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// script is the card's vendor-data. Raspberry Pi OS has its own settings, and those of the Imager,
// in user-data; cloud-init runs both, so the card's user-data stays as it is
// (docs.cloud-init.io, Vendor-data and NoCloud).
//
//go:embed firstboot
var script []byte

// scriptName is what cloud-init calls the script's file.
const scriptName = "vendor-data"

// architectures are those of Raspberry Pi OS.
var architectures = []string{"arm64", "armhf"}

// find returns the Debian packages of a version in the folders, for each architecture of Raspberry
// Pi OS that has one there.
func find(version string, folders ...string) (packages []string, err error) {
	for _, arch := range architectures {
		for _, folder := range folders {
			name := filepath.Join(folder, "c4hat_"+version+"_"+arch+".deb")
			if _, err := os.Stat(name); err == nil {
				packages = append(packages, name)
				break
			}
		}
	}
	if packages == nil {
		return nil, fmt.Errorf("there is no c4hat_%s_arm64.deb here: name the package with --package, or build it with make deb DEB_ARCHS=arm64", version)
	}
	return packages, nil
}

// architecture returns that of the system on a boot partition, or "" if its kernels do not tell. With 32
// bits there is kernel7.img, and often kernel8.img too; with 64 only the latter (package raspi-firmware).
func architecture(boot string) string {
	for _, has := range [][2]string{{"kernel7.img", "armhf"}, {"kernel8.img", "arm64"}} {
		if _, err := os.Stat(filepath.Join(boot, has[0])); err == nil {
			return has[1]
		}
	}
	return ""
}

// isPackage reports whether a file is a complete Debian package: an archive of three members (deb(5)).
func isPackage(f io.Reader) bool {
	head := make([]byte, 60)
	if _, err := io.ReadFull(f, head[:8]); err != nil || string(head[:8]) != "!<arch>\n" {
		return false
	}
	for members := 0; ; members++ {
		if _, err := io.ReadFull(f, head); err != nil {
			return err == io.EOF && members >= 3
		}
		size, err := strconv.ParseInt(strings.TrimSpace(string(head[48:58])), 10, 64)
		if err != nil || size < 0 {
			return false
		}
		if _, err := io.CopyN(io.Discard, f, size+size%2); err != nil {
			return false
		}
	}
}

// check says whether a folder is the boot partition of such a card.
func check(boot string) error {
	for _, name := range []string{"config.txt", "meta-data", "user-data"} {
		switch _, err := os.Stat(filepath.Join(boot, name)); {
		case errors.Is(err, fs.ErrNotExist) && name == "config.txt":
			return fmt.Errorf("%s is not the boot partition of a Raspberry Pi's card: it has no config.txt; name the folder of the partition bootfs", boot)
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("the system on %s cannot install c4hat by itself: it has no %s; write Raspberry Pi OS of October 2025 or newer", boot, name)
		case err != nil:
			return err
		}
	}
	installer := filepath.Join(boot, scriptName)
	switch old, err := os.ReadFile(installer); {
	case err == nil && !strings.Contains(string(old), "c4hat"):
		return fmt.Errorf("%s is not c4hat's, so it stays as it is: write the card anew, or install c4hat on the Pi", installer)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return nil
}

// Prepare copies packages to the mounted boot partition of a card that has not booted yet, and adds
// the script that installs the one for the Pi's architecture. It returns the packages' names. If
// packages is nil, Prepare looks for those of a version in the folders. Prepare may run again, and then
// replaces its own files; it changes no others.
func Prepare(boot string, packages []string, version string, folders ...string) (copied []string, err error) {
	if err := check(boot); err != nil { // before anybody builds a package
		return nil, err
	}
	if packages == nil {
		if packages, err = find(version, folders...); err != nil {
			return nil, err
		}
	}
	arch := architecture(boot)
	if arch != "" && !slices.ContainsFunc(packages, func(p string) bool { return strings.HasSuffix(p, "_"+arch+".deb") }) {
		return nil, fmt.Errorf("the system on %s needs a package for %s: build it with make deb DEB_ARCHS=%[2]s", boot, arch)
	}
	for _, p := range packages {
		name := filepath.Base(p)
		if !slices.ContainsFunc(architectures, func(arch string) bool { return strings.HasSuffix(name, "_"+arch+".deb") }) || !strings.HasPrefix(name, "c4hat_") {
			return nil, fmt.Errorf("%s is not a package of c4hat for Raspberry Pi OS: its name is c4hat_VERSION_arm64.deb or c4hat_VERSION_armhf.deb", p)
		}
		f, err := os.Open(p)
		if err != nil {
			return nil, err
		}
		if !isPackage(f) {
			err = fmt.Errorf("%s is not a complete Debian package: build or copy it anew", p)
		} else if _, err = f.Seek(0, io.SeekStart); err == nil {
			err = write(filepath.Join(boot, name), f)
		}
		f.Close()
		if err != nil {
			return nil, err
		}
		copied = append(copied, name)
	}
	older, _ := filepath.Glob(filepath.Join(boot, "c4hat_*.deb")) // the pattern is valid
	for _, p := range older {
		if !slices.Contains(copied, filepath.Base(p)) {
			if err := os.Remove(p); err != nil {
				return nil, err
			}
		}
	}
	return copied, write(filepath.Join(boot, scriptName), bytes.NewReader(script))
}

// write replaces a file. What a full card or a crash cuts off does not get the file's name.
func write(name string, from io.Reader) error {
	f, err := os.Create(name + ".new")
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
