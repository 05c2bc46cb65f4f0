//go:build machine

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// needFull skips a test that needs cloud-init or engines for speech.
func needFull(t *testing.T) {
	t.Helper()
	if !strings.HasSuffix(*system, "-full") {
		t.Skip("needs -system 13-full; make release-test has it")
	}
}

// writeCard makes a card as Raspberry Pi OS comes (RPi-Distro/pi-gen, stage2/04-cloud-init), with a
// user's own user-data, and prepares it twice. The package is for a PC, so its name changes. In the end
// c4hat is not installed.
const writeCard = `
mkdir -p /boot/firmware /root/card
cd /root/card
echo 'dtparam=i2c_arm=on' >config.txt
printf 'dsmode: local\ninstance_id: rpios-image\n' >meta-data
printf '#cloud-config\nruncmd:\n- [touch, /root/mine]\n' >user-data
cp /c4hat.deb /root/c4hat_1_arm64.deb
c4hat card --package /root/c4hat_1_arm64.deb .
c4hat card --package /root/c4hat_1_arm64.deb .
mv c4hat_1_arm64.deb c4hat_1_amd64.deb
mkfs.vfat -n BOOTFS -C /card 65536
mcopy -i /card ./* ::
echo '/dev/vdb /boot/firmware vfat defaults 0 0' >>/etc/fstab
cat >/etc/cloud/cloud.cfg.d/99_raspberry-pi.cfg <<END
datasource_list: [ NoCloud, None ]
datasource:
  NoCloud:
    seedfrom: file:///boot/firmware
ssh_genkeytypes: []
# This machine has neither a network nor a disk that grows.
network: {config: disabled}
resize_rootfs: false
END
dpkg --purge c4hat
rm /c4hat.deb /root/c4hat_1_arm64.deb
`

// A card that c4hat has prepared installs c4hat at the first boot, without a network and without a key.
// The user's own settings are applied too, and stay as they are. Nothing else is left on the card, and
// the second boot is like any other.
func TestCard(t *testing.T) {
	needFull(t)
	t.Parallel()
	dir := filepath.Join(workDir, "first-boot")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	i, err := buildImage(dir, writeCard)
	if err != nil {
		t.Fatal(err)
	}
	m := New(t, i)
	for _, boot := range []string{"first", "second"} {
		began := time.Now()
		m.On(Power{})
		m.AwaitStatus(func(s Status) bool { return s.Machine.Joystick && s.Phase == "attract" })
		m.Mirrors()
		t.Logf("%s boot: the demo after %.0f s", boot, time.Since(began).Seconds())
		if e := m.Run("cloud-init", "status", "--wait", "--long"); !strings.Contains(e.Out, "status: done") {
			t.Errorf("%s boot: cloud-init: %s%s", boot, e.Out, e.Err)
		}
		if e := m.Run("ls", "/boot/firmware"); e.Out != "config.txt\nmeta-data\nuser-data\n" {
			t.Errorf("%s boot: on the card are\n%s", boot, e.Out)
		}
		m.sh("cmp /boot/firmware/user-data /root/card/user-data; ls /root/mine")
		if e := m.Run("systemctl", "--failed", "--quiet", "--plain"); e.Out != "" {
			t.Errorf("%s boot: failed: %s", boot, e.Out)
		}
		if boot == "second" {
			m.starts(t)
		}
		m.Run("systemctl", "poweroff")
		m.Ends()
	}
}
