// Package socket has the server and the client of the service's socket: HTTP with JSON
// bodies over a Unix socket. It does not run the game. The server passes events to the game through
// [Options.Do], and receives every view of the game, as panels do.
//
// doc/socket.md describes the protocol.
package socket

import (
	"time"

	"github.com/c4hat/c4hat/internal/httplimit"
)

// Limits that the server and the client share.
const (
	maxConns   = 32
	maxHead    = httplimit.MaxHead
	maxBody    = httplimit.MaxBody
	maxAnswer  = 256 << 10 // bytes of an answer or an event; enough for a thousand rounds
	maxHistory = 16 << 20  // bytes of all finished matches, of which the service keeps 4 MiB
	maxLast    = 10000     // finished matches that can be requested by number

	// patience is how long the server or the client waits for the next bytes from the other.
	patience = 5 * time.Second
)
