package main

import (
	"net"
	"strings"
	"testing"

	"github.com/c4hat/c4hat/internal/command/cli"
)

// Over SSH, a link for this machine alone says so.
func TestInviteSSH(t *testing.T) {
	for _, tt := range []struct {
		ssh, listen string
		told        bool
	}{
		{"", "127.0.0.1", false},
		{"192.0.2.1 40000 192.0.2.2 22", "127.0.0.1", true},
		{"192.0.2.1 40000 192.0.2.2 22", "0.0.0.0", false},
	} {
		t.Setenv("SSH_CONNECTION", tt.ssh)
		var out strings.Builder
		p := &page{Streams: cli.Streams{Out: &out}}
		if err := p.inviter(&net.TCPAddr{IP: net.ParseIP(tt.listen), Port: 8484}, "a match")("/?key=x"); err != nil {
			t.Fatal(err)
		}
		if told := strings.Contains(out.String(), "/?key=x in a browser of this machine (for others: --listen 0.0.0.0:8484);"); told != tt.told {
			t.Errorf("%+v: %q", tt, out.String())
		}
	}
}
