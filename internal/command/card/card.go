// Package card prepares a card with Raspberry Pi OS for its first boot, which then installs c4hat
// without a network.
package card

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// Prepare copies packages to the mounted boot partition of a card that has not booted yet, and adds
// the script that installs the one for the Pi's architecture. It returns the packages' names. If
// packages is nil, Prepare looks for those of a version in the folders. Prepare may run again, and then
// replaces its own files; it changes no others.
func Prepare(boot string, packages []string, version string, folders ...string) (copied []string, err error) {
	if err := check(boot); err != nil { // before anybody builds a package
		return nil, err
	}
	if packages == nil {
		if packages = find(version, folders); packages == nil {
			return nil, fmt.Errorf("there is no c4hat_%s_arm64.deb here: name the package with --package, or build it with make deb DEB_ARCHS=arm64", version)
		}
	}
	// With 32 bits there is kernel7.img, and often kernel8.img too; with 64 only the latter (package raspi-firmware).
	arch := ""
	for _, kernel := range [][2]string{{"kernel8.img", "arm64"}, {"kernel7.img", "armhf"}} {
		if exists(filepath.Join(boot, kernel[0])) {
			arch = kernel[1]
		}
	}
	if !slices.ContainsFunc(packages, func(p string) bool { return arch == "" || strings.HasSuffix(p, "_"+arch+".deb") }) {
		return nil, fmt.Errorf("the system on %s needs a package for %s: build it with make deb DEB_ARCHS=%[2]s", boot, arch)
	}
	ours := regexp.MustCompile(`^c4hat_.*_(arm64|armhf)\.deb$`)
	for _, p := range packages {
		name := filepath.Base(p)
		content, err := os.ReadFile(p)
		switch {
		case !ours.MatchString(name), err == nil && !bytes.HasPrefix(content, []byte("!<arch>\n")): // deb(5)
			return nil, fmt.Errorf("%s is not a package of c4hat for Raspberry Pi OS, as in c4hat_VERSION_arm64.deb or c4hat_VERSION_armhf.deb", p)
		case err == nil:
			err = write(filepath.Join(boot, name), content)
		}
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
	return copied, write(filepath.Join(boot, scriptName), script)
}

// check says whether a folder is the boot partition of such a card.
func check(boot string) error {
	if !exists(filepath.Join(boot, "config.txt")) {
		return fmt.Errorf("%s is not the boot partition of a Raspberry Pi's card: it has no config.txt; name the folder of the partition bootfs", boot)
	}
	for _, name := range []string{"meta-data", "user-data"} {
		if !exists(filepath.Join(boot, name)) {
			return fmt.Errorf("the system on %s cannot install c4hat by itself: it has no %s; write Raspberry Pi OS of October 2025 or newer", boot, name)
		}
	}
	installer := filepath.Join(boot, scriptName)
	switch old, err := os.ReadFile(installer); {
	case err == nil && !bytes.Contains(old, []byte("c4hat")):
		return fmt.Errorf("%s is not c4hat's, so it stays as it is: write the card anew, or install c4hat on the Pi", installer)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return nil
}

// find returns the packages of a version, one for each architecture that has one in the folders.
func find(version string, folders []string) (packages []string) {
	for _, arch := range []string{"arm64", "armhf"} {
		for _, folder := range folders {
			if name := filepath.Join(folder, "c4hat_"+version+"_"+arch+".deb"); exists(name) {
				packages = append(packages, name)
				break
			}
		}
	}
	return packages
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// write replaces a file. What a full card or a crash cuts off does not get the file's name.
func write(name string, content []byte) error {
	f, err := os.Create(name + ".new")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		os.Remove(f.Name())
		return err
	}
	return os.Rename(f.Name(), name)
}
