package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// firstBoot is the card's vendor-data. Raspberry Pi OS has its own settings, and those of the Imager,
// in user-data; cloud-init runs both, so the card's user-data stays as it is
// (docs.cloud-init.io, Vendor-data and NoCloud).
//
//go:embed firstboot
var firstBoot []byte

func newCard() *cobra.Command {
	var packages []string
	cmd := &cobra.Command{
		Use:   "card FOLDER",
		Short: "Prepare a card, so that the Pi installs c4hat at its first boot",
		Long: `Copy c4hat to a card with Raspberry Pi OS (October 2025 or newer) that has not booted
yet. The first boot installs it, without a network and without a question. FOLDER is
where the card's partition bootfs is mounted; its other files stay as they are. The
Debian packages come from the current folder, from build, or from beside the program.`,
		Example: `  c4hat card /media/$USER/bootfs    on Linux
  c4hat card /Volumes/bootfs        on macOS
  c4hat card E:\                    on Windows`,
		Args: takes(1, 1, "name the folder of the card's partition bootfs, as in c4hat card /media/pi/bootfs"),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			copied, err := prepareCard(args[0], packages)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: the first boot will install %s. Eject the card, put it into the Pi, and plug in the power: the LEDs show a demo after a few minutes.\n",
				args[0], strings.Join(copied, " or "))
			return err
		},
	}
	cmd.Flags().StringSliceVar(&packages, "package", nil, "Debian package `FILE` for the Pi (default: this version's packages)")
	return cmd
}

func exists(folder, name string) bool {
	_, err := os.Stat(filepath.Join(folder, name))
	return err == nil
}

// prepareCard copies packages, or those of this version, to the mounted boot partition of a card that has not
// booted yet. The last file is the script that installs the one for the Pi's architecture. prepareCard returns the
// packages' names. It may run again, and then replaces its own files; it changes no others.
func prepareCard(boot string, packages []string) (copied []string, err error) {
	switch old, _ := os.ReadFile(filepath.Join(boot, "vendor-data")); {
	case !exists(boot, "config.txt"):
		return nil, fmt.Errorf("%s is not the boot partition of a Raspberry Pi's card: it has no config.txt; name the folder of the partition bootfs", boot)
	case !exists(boot, "meta-data") || !exists(boot, "user-data"):
		return nil, fmt.Errorf("the system on %s cannot install c4hat by itself: write Raspberry Pi OS of October 2025 or newer", boot)
	case old != nil && !bytes.Contains(old, []byte("c4hat")):
		return nil, fmt.Errorf("vendor-data in %s is not c4hat's, so it stays as it is: write the card anew, or install c4hat on the Pi", boot)
	}
	if packages == nil {
		packages = packagesHere()
	}
	// With 32 bits there is kernel7.img, and often kernel8.img too; with 64 only the latter (package raspi-firmware).
	arch := ""
	switch {
	case exists(boot, "kernel7.img"):
		arch = "armhf"
	case exists(boot, "kernel8.img"):
		arch = "arm64"
	}
	switch {
	case packages == nil:
		return nil, fmt.Errorf("there is no c4hat_%s_arm64.deb here: name the package with --package, or build it with make deb DEB_ARCHS=arm64", version())
	case !slices.ContainsFunc(packages, func(p string) bool { return strings.HasSuffix(p, arch+".deb") }):
		return nil, fmt.Errorf("the system on %s needs a package for %s: build it with make deb DEB_ARCHS=%[2]s", boot, arch)
	}
	older, _ := filepath.Glob(filepath.Join(boot, "c4hat_*.deb")) // the pattern is valid
	ours := regexp.MustCompile(`^c4hat_.*_(arm64|armhf)\.deb$`)
	for _, p := range packages {
		name := filepath.Base(p)
		content, err := os.ReadFile(p)
		switch {
		case !ours.MatchString(name), err == nil && !bytes.HasPrefix(content, []byte("!<arch>\n")): // deb(5)
			return nil, fmt.Errorf("%s is not a package of c4hat for Raspberry Pi OS, as in c4hat_VERSION_arm64.deb or c4hat_VERSION_armhf.deb", p)
		case err == nil:
			err = os.WriteFile(filepath.Join(boot, name), content, 0o666)
		}
		if err != nil {
			return nil, err
		}
		copied = append(copied, name)
	}
	for _, p := range older {
		if !slices.Contains(copied, filepath.Base(p)) {
			if err := os.Remove(p); err != nil {
				return nil, err
			}
		}
	}
	return copied, os.WriteFile(filepath.Join(boot, "vendor-data"), firstBoot, 0o666)
}

// packagesHere returns the packages of this version, at most one for each architecture.
func packagesHere() (packages []string) {
	program, _ := os.Executable() // without it two folders are left
	for _, arch := range []string{"arm64", "armhf"} {
		for _, folder := range []string{".", "build", filepath.Dir(program)} {
			if name := "c4hat_" + version() + "_" + arch + ".deb"; exists(folder, name) {
				packages = append(packages, filepath.Join(folder, name))
				break
			}
		}
	}
	return packages
}
