// Package control is the service's socket: HTTP with JSON bodies over a Unix
// socket, the server and the client. It does not run the game: the server gets
// a function that passes an event to the game, and every view, like any panel.
//
// The protocol is described in doc/socket.md.
package control

import (
	"time"

	"github.com/c4hat/c4hat/internal/server"
)

// Limits that the server and the client share.
const (
	maxConns  = 32
	maxHead   = server.MaxHead
	maxBody   = server.MaxBody
	maxAnswer = 256 << 10 // bytes of an answer, an event or a finished match: a thousand rounds fit
	maxLast   = 10000     // finished matches that can be requested by number

	// patience is how long each end waits for the other's next bytes.
	patience = 5 * time.Second
)
