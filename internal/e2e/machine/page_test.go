//go:build machine

package machine

import (
	"strings"
	"testing"
)

// fetch makes a request with bash alone, and returns the answer.
func (m *Machine) fetch(address, request string) string {
	return m.Run("timeout", "20", "bash", "-c",
		`exec 3<>"/dev/tcp/$1/8484" && printf "$2" >&3 && cat <&3`, "bash", address, request).Out
}

// servePage enables the page as doc/browser.md says, and asks for it. The machine has no network
// card: the name of the host says that somebody else asks.
func servePage(t *testing.T, m *Machine) {
	const address = "127.0.0.2"
	m.Run("systemctl", "enable", "--now", "c4hat-web.socket")
	defer m.Run("systemctl", "disable", "--now", "c4hat-web.socket", "c4hat-web.service")
	head := " HTTP/1.0\\r\\nHost: 192.0.2.7:8484\\r\\n"
	if got := m.fetch(address, "GET /"+head+"\\r\\n"); !strings.HasPrefix(got, "HTTP/1.0 200 OK") || !strings.Contains(got, "<title>c4hat</title>") {
		t.Errorf("the page: %.300q", got)
	}
	if got := m.fetch(address, "GET /v1/matches?last=1"+head+"\\r\\n"); !strings.Contains(got, `{"matches":[`) {
		t.Errorf("the game behind it: %.300q", got)
	}
	const press = `{"key":"left"}`
	if got := m.fetch(address, "POST /v1/press"+head+"Origin: http://192.0.2.7:8484\\r\\nContent-Type: application/json\\r\\nContent-Length: 14\\r\\n\\r\\n"+press); !strings.HasPrefix(got, "HTTP/1.0 401") {
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
	m.Mirrors() // the game is as it was
}
