// Package web serves the page that shows the game in a browser. It plays nothing: it
// passes what browsers ask for to the socket of a game, and the game's events to the
// browsers. Whoever reaches it may watch; to press, a browser is paired at the HAT.
//
// The package faces a network. It checks where a request comes from, bounds everything
// that a stranger can use up, and knows nothing that is worth stealing but the key of
// the pairings. doc/browser.md describes it for people.
package web

import "time"

// Limits. A browser opens up to six connections to load the page, then uses two.
const (
	maxConns   = 64
	maxStreams = 24 // of events
	maxSeated  = 4  // streams of browsers that hold a seat: a match has two
	maxAsking  = 6  // connections for requests: the game has 16 for a user
	paceRate   = 20 // requests of an address per second
	paceBurst  = 80
	maxMatches = 1000

	// patience is how long a browser may take to send or to read something.
	patience = 10 * time.Second

	// answerTime is how long it may take to read an answer.
	answerTime = 2 * patience

	// analyseTime is how long a browser waits for an analysis.
	analyseTime = 2 * time.Minute

	// keepAlive is how often a stream says something, so that both ends notice when the
	// other has gone.
	keepAlive = 30 * time.Second
)
