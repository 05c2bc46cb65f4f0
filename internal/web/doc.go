// Package web serves the page that shows the game in a browser. It does not run the game: it
// passes the browsers' requests to the socket of a game, and the game's events to the
// browsers. By default anyone who can reach the page may watch, but only browsers that have been
// paired at the HAT may press keys.
//
// The page can be reached from a network. So the package checks where each request comes from, and
// limits everything that a stranger can use up. Its only secret is the key that signs the cookies
// of paired browsers. doc/browser.md describes the page for users.
package web

import "time"

// Limits. A browser opens up to six connections to load the page, then uses two.
const (
	maxConns   = 64
	maxStreams = 24 // of events
	maxSeated  = 4  // streams of browsers that hold a seat; a match has two seats
	maxAsking  = 6  // connections to the socket for requests; the socket allows each user 16
	paceRate   = 20 // requests per second from one address
	paceBurst  = 80
	maxMatches = 1000

	// patience is how long a browser may take to send a request or to read an event.
	patience = 10 * time.Second

	// answerTime is how long a browser may take to read an answer.
	answerTime = 2 * patience

	// analyseTime limits a request for an analysis, including the wait until an earlier
	// analysis has ended.
	analyseTime = 2 * time.Minute

	// keepAlive is how often a stream sends something, so that each end notices when the other
	// has disconnected.
	keepAlive = 30 * time.Second
)
