//go:build machine

package e2e

import (
	"strings"
	"testing"
)

// fetch makes a request with bash alone, and returns the answer.
func (m *Machine) fetch(address, request string) string {
	return m.Run("timeout", "500", "bash", "-c",
		`exec 3<>"/dev/tcp/$1/8484" && printf "$2" >&3 && cat <&3`, "bash", address, request).Out
}

// plugCard adds a network card that has an address but is connected to no network. The returned
// function removes the card.
func (m *Machine) plugCard(address string) (unplug func()) {
	if e := m.Run("bash", "-e", "-c", `cd /run
		echo dummy >card.conf
		/lib/systemd/systemd-modules-load /run/card.conf
		mkdir -p systemd/network
		printf '[NetDev]\nName=card\nKind=dummy\n' >systemd/network/card.netdev
		printf '[Match]\nName=card\n[Network]\nAddress=%s/24\n' "$1" >systemd/network/card.network
		systemctl start systemd-networkd
		/lib/systemd/systemd-networkd-wait-online --interface=card:degraded --timeout=600`, "bash", address); e.Status != 0 {
		m.t.Fatalf("no network card: %s", e.Err)
	}
	return func() { m.Run("systemctl", "stop", "systemd-networkd.socket", "systemd-networkd.service") }
}

// servePage enables the page as doc/browser.md says, and requests it at the address of the
// machine's network card.
func servePage(t *testing.T, m *Machine) {
	const address = "192.0.2.7"
	defer m.plugCard(address)()
	m.Run("systemctl", "enable", "--now", "c4hat-web.socket")
	defer m.Run("systemctl", "disable", "--now", "c4hat-web.socket", "c4hat-web.service")
	head := " HTTP/1.0\\r\\nHost: " + address + ":8484\\r\\n"
	if got := m.fetch(address, "GET /"+head+"\\r\\n"); !strings.HasPrefix(got, "HTTP/1.0 200 OK") || !strings.Contains(got, "<title>c4hat</title>") {
		t.Errorf("the page: %.300q", got)
	}
	if got := m.fetch(address, "GET /v1/matches?last=1"+head+"\\r\\n"); !strings.Contains(got, `{"matches":[`) {
		t.Errorf("the game behind it: %.300q", got)
	}
	const press = `{"key":"left"}`
	if got := m.fetch(address, "POST /v1/press"+head+"Origin: http://"+address+":8484\\r\\nContent-Type: application/json\\r\\nContent-Length: 14\\r\\n\\r\\n"+press); !strings.HasPrefix(got, "HTTP/1.0 401") {
		t.Errorf("a press without a pairing: %.300q", got)
	}
	for property, want := range map[string]string{"PrivateNetwork": "yes", "DynamicUser": "yes", "ActiveState": "active"} {
		if got := m.Run("systemctl", "show", "--value", "--property="+property, "c4hat-web.service").Out; got != want+"\n" {
			t.Errorf("c4hat-web.service: %s is %q", property, got)
		}
	}
	if got := m.Run("systemctl", "show", "--value", "--property=PrivateNetwork", "c4hat.service").Out; got != "yes\n" {
		t.Errorf("c4hat.service: PrivateNetwork is %q", got)
	}
	m.Mirrors() // the game has not changed
}
