// Package wire is the game as JSON: states, presses and requests for a match, as
// doc/socket.md describes them. It does not know what carries them.
package wire
