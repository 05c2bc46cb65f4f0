// Package control is the daemon's socket: HTTP with JSON bodies over a Unix
// socket, the server and the client. It speaks of the game and does not run it:
// whoever runs it gives the server a function that hands over an event, and shows
// it every view like any panel.
//
// The protocol is described in doc/socket.md.
package control

import "time"

// Bounds that both ends know of.
const (
	maxBody   = 4 << 10   // of a request
	maxAnswer = 256 << 10 // of an answer, an event or a match of the history: a match of a thousand rounds fits
	maxLast   = 10000     // matches that can be asked for by number

	// patience is how long one end waits for the other's bytes once it has begun
	// to talk.
	patience = 5 * time.Second
)
