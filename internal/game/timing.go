package game

import "time"

// How long things take. For people's safety nothing blinks faster than three times a
// second. Blinking is half a period dark, half lit, dark first.
const (
	blinkHalf = 250 * time.Millisecond
	blink     = 2 * blinkHalf

	fallRow     = 30 * time.Millisecond  // a row of a fall on the standard screen
	fallRowFull = 100 * time.Millisecond // a row if the top row is in play
	demoRow     = 100 * time.Millisecond

	// A fall takes at least this long, with the rest after the landing: the second tap of
	// a nervous thumb must not skip the cheer.
	minFallTime = dropWindow

	// A turn begins when the last disc is saved, so that no disc that was seen to land is
	// lost in a power cut. The game waits no longer than this for a slow disk.
	saveTime = time.Second

	cheerTime   = 3 * blink
	scoreTime   = 1500 * time.Millisecond
	victoryTime = 1500 * time.Millisecond
	drawTime    = 1500 * time.Millisecond
	clearTime   = 250 * time.Millisecond
	hintTime    = 5 * time.Second

	holdEvery = 150 * time.Millisecond // a held key repeats no faster
	menuIdle  = 60 * time.Second

	demoPace = 1500 * time.Millisecond // from one disc of the demo to the next
	demoRest = 3 * time.Second         // after each of its rounds
)

// blinkDark reports whether something that has blinked since a moment is dark now.
func blinkDark(since, now time.Time) bool {
	return now.Sub(since)/blinkHalf%2 == 0
}

// nextEdge returns the first moment after now that is a whole number of periods after the start.
func nextEdge(start time.Time, period time.Duration, now time.Time) time.Time {
	return start.Add((now.Sub(start)/period + 1) * period)
}
