// Package api encodes and decodes the game's JSON: states, presses and requests for a match,
// as doc/socket.md describes them. It does not know how they are transported.
package api
