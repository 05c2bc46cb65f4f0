package game

import "time"

// How long things take. Because faster flashes can trigger seizures, nothing blinks faster than
// three times a second. A blink is dark for its first half and lit for its second.
const (
	blinkHalf = 250 * time.Millisecond
	blink     = 2 * blinkHalf

	fallRow     = 30 * time.Millisecond  // a disc falls by one row
	fallRowFull = 100 * time.Millisecond // a disc falls by one row on a board with 8 rows
	demoRow     = 100 * time.Millisecond

	// A fall takes at least this long, including the rest after the landing, so that an accidental
	// second tap does not skip the cheer.
	minFallTime = dropWindow

	// A turn begins once the last disc is saved, so that a power cut loses no disc that people have
	// seen land. If the disk is slow, the game waits this long at most.
	saveTime = time.Second

	cheerTime   = 3 * blink
	scoreTime   = 1500 * time.Millisecond
	victoryTime = 1500 * time.Millisecond
	drawTime    = 1500 * time.Millisecond
	clearTime   = 250 * time.Millisecond
	hintTime    = 5 * time.Second

	holdEvery = 150 * time.Millisecond // the shortest time between two repeats of a held key
	menuIdle  = 60 * time.Second

	demoPace = 1500 * time.Millisecond // from one disc of the demo to the next
	demoRest = 3 * time.Second         // after each round of the demo
)

// blinkDark reports whether something that started to blink at since is dark now.
func blinkDark(since, now time.Time) bool {
	return now.Sub(since)/blinkHalf%2 == 0
}

// nextEdge returns the first moment after now that is a whole number of periods after start.
func nextEdge(start time.Time, period time.Duration, now time.Time) time.Time {
	return start.Add((now.Sub(start)/period + 1) * period)
}
